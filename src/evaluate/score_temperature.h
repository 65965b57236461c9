// Calibration after temperature scaling: the passes that fit, and the one that measures
// (metric/temperature.h).
#pragma once

#include <cstdint>

#include "assay/collective/comm.h"
#include "assay/evaluate/score.h"
#include "assay/metric/metric.h"
#include "evaluate/scored_rows.h"

namespace assay {

/// After every row was scored on all ranks. Collective; the same bits for any threads and ranks.
/// Cost: some ten passes over the rows; 12 bytes an item.
ResampledEstimate temperature_scaled(const MetricRequest& request, const ScoredRows& rows,
                                     const PredictionStore& store, const ScoreOptions& options,
                                     int threads, Comm& comm);

}  // namespace assay
