// Accuracy by groups of the images of a store.
#pragma once

#include <string>
#include <vector>

#include "assay/data/dataset.h"
#include "assay/evaluate/group_accuracy.h"
#include "assay/evaluate/score.h"
#include "assay/metric/metric.h"
#include "assay/report.h"
#include "evaluate/score_set.h"

namespace assay::evaluate {

/// Accuracy of single labels or of label sets: what is measured by group.
bool has_groups(const MetricRequest& request);

/// More groups than these are too many.
inline constexpr std::size_t most_groups = 1000;

/// Before anything is computed. Throws usage: --by names no attribute, or the same ones twice.
void check_attributes(const Dataset& dataset, const ScoreOptions& options);

/// Of each of top1 and real in `set`, which was scored with Keep::items in the order of the data
/// set. Throws usage: unknown attributes, too many groups, neither top1 nor real.
std::vector<AccuracyByGroup> accuracy_by_group(const ScoredSet& set, const Dataset& dataset,
                                               const ScoreOptions& options);
/// With those of `groups` behind `measurements`, the worst group first: what gates and csv are
/// about.
std::vector<Measurement> with_groups(const std::vector<Measurement>& measurements,
                                     const std::vector<AccuracyByGroup>& groups);
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
