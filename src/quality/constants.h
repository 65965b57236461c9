// Centers and scales that depend only on values.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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

/// The text that weights_named() takes: base weights, and the weights of names in their order. The
/// names are not checked.
struct ParsedWeights {
    PerDimension<double> base{};
    std::vector<std::pair<std::string, double>> named;
};
/// Throws usage for an unknown profile, and for a negative number or none.
ParsedWeights parse_weights(std::string_view text);
/// Throws usage: all weights are 0.
[[noreturn]] void refuse_zero_weights(std::string_view text);

/// Like constants_of(); the caller sets `source`.
QubaConstants constants_from(const Values& values, const PerDimension<double>& weights,
                             double trim);
/// The score sum w s (x - mean) / deviation / sum w. Dimensions without a value are excluded, and
/// the weights of other dimensions are scaled to sum to 1.
double quba_of(const PerDimension<std::optional<double>>& values, const QubaConstants& constants,
               const PerDimension<double>& weights);

}  // namespace assay::quality
