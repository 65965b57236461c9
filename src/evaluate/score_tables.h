// The parts of a report that are no metrics: classes, confusions, each item's prediction, warnings.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include "evaluate/score_set.h"
#include "evaluate/scored_rows.h"

namespace assay {

/// (truth, predicted) -> items.
using ConfusionCounts = std::map<std::pair<std::int32_t, std::int32_t>, std::uint64_t>;

/// `state`: of the accumulator "classes", by group.
void fill_classes(ScoreReport& report, const Shape& shape, std::span<const std::int64_t> state,
                  double level);
/// From the bins of `ece`, by group.
void fill_reliability(ScoreReport& report, const MetricContext& context,
                      std::span<const std::int64_t> state);
/// The `kept` most frequent.
void fill_confusions(ScoreReport& report, const ConfusionCounts& counts, std::size_t kept);
/// Takes the records out of `rows`.
void fill_predictions(ScoredSet& set, ScoredRows& rows, const LabelSets& labels);
/// Of `looked` sampled rows, `odd` do not look like scores of this kind.
void add_kind_warning(ScoreReport& report, ScoreKind kind, std::int64_t looked, std::int64_t odd);

}  // namespace assay
