// What is compared between two scored sets of the same items: metric by metric, and the
// predictions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "assay/evaluate/compare.h"
#include "evaluate/compare_pairing.h"
#include "evaluate/compare_weights.h"
#include "evaluate/score_set.h"

namespace assay {

/// Metric `i` of both sets, with difference, interval and p-value. `labels_per_image`: the number
/// of valid labels of each item. `alike`: of ScoredSet. `weigher`: of images that do not count the
/// same; null if they do. Throws usage if the sides rank by different numbers.
PairedMetric paired(const MetricRequest& request, const ScoredSet& a, const ScoredSet& b,
                    std::size_t i, std::span<const std::uint32_t> labels_per_image,
                    const Resampling& how, double alike, evaluate::PairWeigher* weigher);

/// Counts equal, correct and different predictions, and lists the `listed` differing items of which
/// one side is surest. Items of equal confidence stay in order.
void fill_predictions(PairReport& report, const ScoredSet& a, const ScoredSet& b,
                      const Alignment& rows, const LabelSets& labels, const StringColumn& ids,
                      std::size_t listed, double level);

}  // namespace assay
