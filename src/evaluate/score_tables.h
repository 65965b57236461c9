// The parts of a report that are not metrics: classes, confusions, each item's prediction,
// warnings.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "evaluate/cluster_interval.h"
#include "evaluate/score_set.h"
#include "evaluate/scored_rows.h"

namespace assay {

struct HashOfPair {
    std::size_t operator()(const std::pair<std::int32_t, std::int32_t>& pair) const noexcept {
        // The hash multiplies, so that both numbers affect the bits that a table uses.
        const std::uint64_t both =
            static_cast<std::uint64_t>(static_cast<std::uint32_t>(pair.first)) << 32U |
            static_cast<std::uint32_t>(pair.second);
        return static_cast<std::size_t>((both * 0x9e3779b97f4a7c15U) >> 20U);
    }
};
/// Items by (truth, predicted), in no order. There may be as many entries as misclassified images,
/// and a tree of them would be slower than everything else.
using ConfusionCounts =
    std::unordered_map<std::pair<std::int32_t, std::int32_t>, std::uint64_t, HashOfPair>;

/// `state`: of the accumulator "classes", by group. `alike`: the groups hold whole clusters of
/// items, which are not independent; nullptr: items are independent.
void fill_classes(ScoreReport& report, const Shape& shape, std::span<const std::int64_t> state,
                  double level, const evaluate::AlikeItems* alike = nullptr);
/// Sets ids and names from report.classes, or numbers, also those of valid_labels.
void name_classes(ScoreReport& report);
/// Uses the bins of `ece`, by group.
void fill_reliability(ScoreReport& report, const MetricContext& context,
                      std::span<const std::int64_t> state, bool clusters = false);
/// The `kept` most frequent confusions: by count, then truth, then predicted.
std::vector<Confusion> most_frequent(const ConfusionCounts& counts, std::size_t kept);
/// Moves the records out of `rows`.
void fill_predictions(ScoredSet& set, ScoredRows& rows, const LabelSets& labels);
/// `odd` of the `looked` sampled rows do not look like scores of this kind.
void add_kind_warning(ScoreReport& report, ScoreKind kind, std::int64_t looked, std::int64_t odd);

}  // namespace assay
