// Measures the agreement of two orders of the same models.
#pragma once

#include <array>
#include <optional>

#include "evaluate/statements/places.h"

namespace assay::statements {

/// The values of one data set or metric in a comparison of two orders.
struct Ordered {
    std::span<const double> values;
    double total = 0;     ///< total_of() of the factor
    const Matrix* draws;  ///< draws of the errors
    const Pairs* pairs;   ///< nullptr means that no pair bounds the interval
};
struct RankCorrelations {
    std::optional<Range> tau, rho;  ///< no value with fewer than 3 models, or if all values of a
                                    ///< set are equal
};
/// Kendall's tau and Spearman's rho of the true orders. Errors pull the observed correlations
/// towards 0. The candidate true values are on a path from one common order to the observed values,
/// and beyond. A line models both sets, and the deviations from it shrink along the path. Ties
/// count 0 for tau, and are in the order of the models for rho. Cost: 11 to 30 times draws x models
/// log models.
RankCorrelations rank_correlations(const Ordered& first, const Ordered& second, double level);

/// Tau with equal pairs as 0, and rho from ranks with ties in the order of the models.
std::array<double, 2> seen_correlations(std::span<const double> x, std::span<const double> y);

}  // namespace assay::statements
