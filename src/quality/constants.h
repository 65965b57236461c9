// Centers and scales that depend only on values.
#pragma once

#include <optional>
#include <vector>

#include "assay/quality/quba.h"

namespace assay::quality {

using Values = std::vector<PerDimension<std::optional<double>>>;  ///< a model each

/// Like constants_of(); the caller sets `source`.
QubaConstants constants_from(const Values& values, const PerDimension<double>& weights,
                             double trim);
/// sum w s (x - mean) / deviation / sum w; dimensions without a value are excluded, and the weights
/// of the others add up to 1.
double quba_of(const PerDimension<std::optional<double>>& values, const QubaConstants& constants,
               const PerDimension<double>& weights);

}  // namespace assay::quality
