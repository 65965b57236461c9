// Accuracy by groups of the images of a store.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/data/dataset.h"
#include "assay/evaluate/group_accuracy.h"
#include "assay/evaluate/score.h"
#include "assay/metric/metric.h"
#include "assay/report.h"
#include "evaluate/group_hits.h"
#include "evaluate/score_set.h"

namespace assay::evaluate {

/// True if the metric is measured by group: accuracy of single labels or of label sets.
bool has_groups(const MetricRequest& request);

/// The largest number of groups.
inline constexpr std::size_t most_groups = 1000;

/// Checks --by before the computation. Throws usage if it names no or repeated attributes.
void check_attributes(const Dataset& dataset, const ScoreOptions& options);

/// Checks `--by` without a data set: throws usage for an empty name.
void check_group_names(const std::vector<std::string>& by);

/// The groups of all `options.by`, with their names; `hits.hit` is empty.
struct NamedGroups {
    GroupedHits hits;
    std::vector<std::string> names;
};
/// The groups of the images in these rows of the data set (empty: all, in order). Throws usage for
/// unknown attributes and too many groups.
NamedGroups named_groups(const Dataset& dataset, const ScoreOptions& options,
                         std::span<const std::uint64_t> rows = {});
/// GroupedHits::hit for a request with has_groups(), in the order of `set`.
std::vector<std::uint8_t> hits_of_images(const MetricRequest& request, const ScoredSet& set);

/// An accuracy of one store by groups, without comparisons of groups.
struct CountedByGroup {
    struct Group {
        std::string name;
        std::uint64_t correct = 0;
        std::optional<std::uint64_t> clusters;  ///< with `--cluster`
        Measurement accuracy;                   ///< as in GroupAccuracy
    };
    std::string metric;  ///< "top1", "real"
    std::vector<Group> groups;
    std::uint64_t candidates = 0, too_small = 0, without = 0;  ///< as in AccuracyByGroup
    std::uint64_t in_candidates = 0;  ///< images that count and are in any candidate
    std::vector<WithoutValue> without_value;
};
/// Measures top1 and real in `set`, which was scored with Keep::items in the order of `rows`. The
/// groups are named_groups() of the same arguments; overwrites their `hits.hit`. Throws usage
/// without top1 and real. Cost: images times columns.
std::vector<CountedByGroup> counts_of_groups(NamedGroups& groups, const ScoredSet& set,
                                             const Dataset& dataset, const ScoreOptions& options,
                                             std::span<const std::uint64_t> rows = {});

/// Measures top1 and real in `set`, which was scored with Keep::items in the order of `rows`.
/// Throws usage as named_groups(), and without top1 and real.
std::vector<AccuracyByGroup> accuracy_by_group(const ScoredSet& set, const Dataset& dataset,
                                               const ScoreOptions& options,
                                               std::span<const std::uint64_t> rows = {});
/// A text for headings: "sex x camera and by hospital".
std::string by_text(const std::vector<std::string>& by);
/// Returns `measurements`, then those of `groups` with the worst group first, for gates and
/// csv.
std::vector<Measurement> with_groups(const std::vector<Measurement>& measurements,
                                     const std::vector<AccuracyByGroup>& groups);
/// A table's note on images without a value. `without` is the number of images in no group.
std::string without_value_note(const std::vector<WithoutValue>& attributes, std::uint64_t without);
/// The reason why groups have no interval, with or without `clusters`.
std::string too_small_text(bool clusters);
/// A table for people: the groups of one store, or the worst group of each of several stores.
std::vector<Block> group_blocks(const std::vector<const ScoreReport*>& reports);

/// The cluster of each item, from 0: items with the same value of an attribute. An item without a
/// value is a separate cluster.
struct Clusters {
    std::vector<std::uint32_t> of;
    std::size_t count = 0;
    std::uint64_t without = 0;  ///< number of items that lack a value
};
/// Throws usage if there is no such attribute.
Clusters clusters_by(const Dataset& dataset, const std::string& attribute);
/// A sentence about the clusters, for a report.
std::string cluster_note(const Dataset& dataset, const std::string& attribute);

}  // namespace assay::evaluate
