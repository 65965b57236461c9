// Computes the errors in the values of stores that are due to images.
#pragma once

#include "evaluate/gap/assemble.h"
#include "evaluate/gap/gap_statistics.h"
#include "evaluate/gap/model_statements.h"

namespace assay {

/// Rows are the groups of images, which are the same for all models and metrics: each group's
/// effect on a model's value. Columns are scaled to the size of the model's own interval.
/// `input.models` and `report.models` are in the same order.
GapNoise noise_of_stores(const GapReport& report, const GapInput& input,
                         const GapStatistics& statistics);

}  // namespace assay
