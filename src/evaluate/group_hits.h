// Accuracy by group of images, with intervals for each group, the lowest group and differences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "assay/estimate.h"

namespace assay::evaluate {

/// Images that count, by group. The groups of one column do not overlap; those of several may.
struct GroupedHits {
    struct Column {
        /// The group of each image, numbered from `first`; -1 for none.
        std::vector<std::int32_t> of;
        std::int32_t first = 0;
        std::size_t groups = 0;
    };
    std::vector<std::uint8_t> hit;  ///< per image: 1 correct, 0 incorrect, 2 does not count
    std::vector<Column> columns;
    std::size_t groups = 0;              ///< number of groups in all columns
    std::vector<std::uint32_t> cluster;  ///< per image; empty: each image is a cluster
    std::size_t clusters = 0;
};

struct HitsOfGroup {
    std::uint64_t images = 0, hits = 0, clusters = 0;
    std::uint64_t others = 0, others_clusters = 0;  ///< the other images of the group's column
    double size = 0;                                ///< effective number of independent images
    bool candidate = false;
    std::optional<Interval> interval;  ///< interval of candidates
    std::optional<double> difference;  ///< minus the column's other images; only for candidates
    std::optional<Interval> difference_interval;
};
struct LowestOfGroups {
    std::vector<HitsOfGroup> groups;
    std::optional<std::size_t> lowest;  ///< lowest observed candidate; empty without candidates
    /// Without the bias of choosing the lowest; at most the accuracy of all candidates' images.
    double value = 0;
    Interval interval;
};

/// Computes the counts, the size and the interval of each group, but no differences. Cost: images
/// times columns.
std::vector<HitsOfGroup> hits_by_group(const GroupedHits& images, double level);

/// The interval of the lowest true accuracy begins at the lowest of the groups' lower ends
/// (Wilson). It ends at the lowest of their simultaneous upper bounds (Clopper and Pearson). Each
/// bound has a tail of alpha / (2 groups). If groups overlap or images are in clusters, 1,000
/// draws of the groups' joint errors give another tail. It is used if the interval is then
/// shorter. Differences combine the groups' bounds as in Newcombe's interval. Their quantile is
/// that of the largest error of all groups in the same draws (max-t). The effective number of
/// images in clusters comes from the variance between clusters. This variance is mixed with that of
/// clusters that are all correct or all incorrect, which counts more if there are few hits or
/// misses. Cost: images times columns, and 6.4e4 times groups for the draws. Results are
/// bit-identical on all machines.
LowestOfGroups lowest_of_groups(const GroupedHits& images, double level, std::uint64_t seed);

}  // namespace assay::evaluate
