// Centers and scales that depend only on values.
#pragma once

#include <optional>
#include <vector>

#include "assay/quality/quba.h"

namespace assay::quality {

using Values = std::vector<PerDimension<std::optional<double>>>;  ///< one entry per model

/// Like constants_of(); the caller sets `source`.
QubaConstants constants_from(const Values& values, const PerDimension<double>& weights,
                             double trim);
/// The score sum w s (x - mean) / deviation / sum w. Dimensions without a value are excluded, and
/// the weights of other dimensions are scaled to sum to 1.
double quba_of(const PerDimension<std::optional<double>>& values, const QubaConstants& constants,
               const PerDimension<double>& weights);

}  // namespace assay::quality
