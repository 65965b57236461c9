// Calibration errors of a perfectly calibrated classifier: labels are drawn from the probabilities,
// and the error is computed again (metric/drawn.h).
#pragma once

#include <cstdint>
#include <vector>

#include "assay/collective/comm.h"
#include "evaluate/scored_rows.h"
#include "metric/drawn.h"

namespace assay {

/// For each metric, its value in each draw. A draw of an item depends only on (seed, item, draw),
/// so the metrics see the same labels. A mean of several metrics therefore has the value that it
/// would have on one drawn data set. Collective.
std::vector<std::vector<double>> calibrated_null(const ScoredRows& rows,
                                                 const DrawnMetrics& metrics, std::uint32_t draws,
                                                 std::uint64_t seed, int threads, Comm& comm);

}  // namespace assay
