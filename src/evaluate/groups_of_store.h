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

/// Accuracy of single labels or of label sets: what is measured by group.
bool has_groups(const MetricRequest& request);

/// More groups than these are too many.
inline constexpr std::size_t most_groups = 1000;

/// Before anything is computed. Throws usage: --by names no attribute, or the same ones twice.
void check_attributes(const Dataset& dataset, const ScoreOptions& options);

/// What can be wrong with `--by` without a data set: an empty name. Throws usage.
void check_group_names(const std::vector<std::string>& by);

/// The groups of all `options.by`, with their names. `hits.hit` is empty.
struct NamedGroups {
    GroupedHits hits;
    std::vector<std::string> names;
};
/// Of the images in these rows of the data set; empty: all in order. Throws usage: unknown
/// attributes, too many groups.
NamedGroups named_groups(const Dataset& dataset, const ScoreOptions& options,
                         std::span<const std::uint64_t> rows = {});
/// GroupedHits::hit of a request that has_groups(), in the order of `set`.
std::vector<std::uint8_t> hits_of_images(const MetricRequest& request, const ScoredSet& set);

/// One accuracy of one store by groups, which are not compared with each other.
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
/// Of each of top1 and real in `set`, which was scored with Keep::items in the order of `rows`. The
/// groups are named_groups() of the same arguments, whose `hits.hit` is overwritten. Throws usage:
/// neither top1 nor real. Cost: images times columns.
std::vector<CountedByGroup> counts_of_groups(NamedGroups& groups, const ScoredSet& set,
                                             const Dataset& dataset, const ScoreOptions& options,
                                             std::span<const std::uint64_t> rows = {});

/// Of each of top1 and real in `set`, which was scored with Keep::items in the order of `rows`.
/// Throws usage: as named_groups(), neither top1 nor real.
std::vector<AccuracyByGroup> accuracy_by_group(const ScoredSet& set, const Dataset& dataset,
                                               const ScoreOptions& options,
                                               std::span<const std::uint64_t> rows = {});
/// "sex x camera and by hospital": for headings.
std::string by_text(const std::vector<std::string>& by);
/// With those of `groups` behind `measurements`, the worst group first: what gates and csv are
/// about.
std::vector<Measurement> with_groups(const std::vector<Measurement>& measurements,
                                     const std::vector<AccuracyByGroup>& groups);
/// What a table says of images without a value. `without`: images in no group.
std::string without_value_note(const std::vector<WithoutValue>& attributes, std::uint64_t without);
/// What groups without an interval have, with or without `clusters`.
std::string too_small_text(bool clusters);
/// For people: the groups of one store, or the worst group of each of several.
std::vector<Block> group_blocks(const std::vector<const ScoreReport*>& reports);

/// The cluster of each item, from 0: items with one value of an attribute. An item without a value
/// is one of its own.
struct Clusters {
    std::vector<std::uint32_t> of;
    std::size_t count = 0;
    std::uint64_t without = 0;  ///< items that lack a value
};
/// Throws usage: no such attribute.
Clusters clusters_by(const Dataset& dataset, const std::string& attribute);
/// What a report says of it.
std::string cluster_note(const Dataset& dataset, const std::string& attribute);

}  // namespace assay::evaluate
