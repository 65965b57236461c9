// The errors that images leave in the values of stores.
#pragma once

#include "evaluate/gap/assemble.h"
#include "evaluate/gap/gap_statistics.h"
#include "evaluate/gap/model_statements.h"

namespace assay {

/// Rows are the groups of images, the same for all models and metrics: how far each group moves a
/// model's value. Columns have the size of the model's own interval. `input.models` and
/// `report.models` are in one order.
GapNoise noise_of_stores(const GapReport& report, const GapInput& input,
                         const GapStatistics& statistics);

}  // namespace assay
