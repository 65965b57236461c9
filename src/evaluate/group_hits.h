// Hits by group of images: intervals of each group, of the lowest, and of differences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "assay/estimate.h"

namespace assay::evaluate {

/// Images that count, by groups. Groups of one column do not overlap; those of several do.
struct GroupedHits {
    struct Column {
        /// The group of each image, from `first` on; -1: none.
        std::vector<std::int32_t> of;
        std::int32_t first = 0;
        std::size_t groups = 0;
    };
    std::vector<std::uint8_t> hit;  ///< per image: 1 correct, 0 incorrect, 2 does not count
    std::vector<Column> columns;
    std::size_t groups = 0;              ///< of all columns
    std::vector<std::uint32_t> cluster;  ///< per image; empty: every image is one of its own
    std::size_t clusters = 0;
};

struct HitsOfGroup {
    std::uint64_t images = 0, hits = 0, clusters = 0;
    std::uint64_t others = 0, others_clusters = 0;  ///< of the column's other images
    double size = 0;                                ///< as many independent images tell as much
    bool candidate = false;
    std::optional<Interval> interval;  ///< of candidates
    std::optional<double> difference;  ///< less the column's other images; of candidates
    std::optional<Interval> difference_interval;
};
struct LowestOfGroups {
    std::vector<HitsOfGroup> groups;
    std::optional<std::size_t> lowest;  ///< of the candidates, as observed; none: no candidate
    /// Without the part that is due to the choice; at most the accuracy of all candidates' images.
    double value = 0;
    Interval interval;
};

/// Of each group: its counts, its size and its interval. There is nothing of differences. Cost:
/// images times columns.
std::vector<HitsOfGroup> hits_by_group(const GroupedHits& images, double level);

/// The interval of the lowest true accuracy begins at the lowest of the groups' lower ends
/// (Wilson). It ends at the lowest of their upper bounds (Clopper and Pearson), which hold
/// together. Each bound has a tail of alpha / (2 groups). If groups overlap or images are in
/// clusters, 1,000 draws of the groups' joint errors give another tail. It is used if the interval
/// is then shorter. Differences: the groups' bounds at the quantile of the largest of all groups'
/// errors in the same draws (max-t), combined as in Newcombe's interval. The effective number of
/// images in clusters comes from the variance between clusters. This variance is mixed with that of
/// clusters that are all correct or all incorrect, which counts more if there are few hits or
/// misses. Cost: images times columns, and 6.4e4 times groups for the draws. Same bits on any
/// machine.
LowestOfGroups lowest_of_groups(const GroupedHits& images, double level, std::uint64_t seed);

}  // namespace assay::evaluate
