// Centers and scales that depend only on values.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "assay/quality/quba.h"

namespace assay::quality {

using Values = std::vector<PerDimension<std::optional<double>>>;  ///< one entry per model

struct TrimmedMoments {
    double mean = 0, deviation = 0;  ///< population standard deviation; NaN without values
    std::size_t kept = 0;            ///< number of values that count
};
/// Excludes the floor(trim n) lowest and highest values, 0 <= trim < 0.5. Sorts the values.
TrimmedMoments trimmed_moments(std::span<double> values, double trim);

/// Like constants_of(); the caller sets `source`.
QubaConstants constants_from(const Values& values, const PerDimension<double>& weights,
                             double trim);
/// The score sum w s (x - mean) / deviation / sum w. Dimensions without a value are excluded, and
/// the weights of other dimensions are scaled to sum to 1.
double quba_of(const PerDimension<std::optional<double>>& values, const QubaConstants& constants,
               const PerDimension<double>& weights);

}  // namespace assay::quality
