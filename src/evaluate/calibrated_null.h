// Calibration errors of a perfectly calibrated classifier: labels are drawn from the probabilities,
// and the error is computed again.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/collective/comm.h"
#include "assay/metric/metric.h"
#include "evaluate/scored_rows.h"
#include "metric/class_wise.h"

namespace assay {

/// A metric to repeat: from fixed class-wise bins (`edges`), with an accumulator that needs
/// confidences only, or as the geometric mean of earlier ones.
struct NullMetric {
    MetricRequest request;
    const ClassWiseSums* sums = nullptr;  ///< with edges
    bool top_label = false;               ///< they are of the top confidence
    std::shared_ptr<const Accumulator> accumulator = nullptr;
    std::vector<std::size_t> parts = {};  ///< earlier members of the list
};

/// For each metric, its value in each draw. A draw of an item depends on (seed, item, draw) alone:
/// the metrics see the same labels, and so a mean of several is what it would be of one drawn data
/// set. Collective.
std::vector<std::vector<double>> calibrated_null(const ScoredRows& rows,
                                                 std::span<const NullMetric> metrics,
                                                 std::uint32_t draws, std::uint64_t seed,
                                                 int threads, Comm& comm);

}  // namespace assay
