// How far two orders of the same models agree.
#pragma once

#include <array>
#include <optional>

#include "evaluate/statements/places.h"

namespace assay::statements {

/// One data set's, or one metric's, part of a comparison of two orders.
struct Ordered {
    std::span<const double> values;
    double total = 0;     ///< of the factor (total_of)
    const Matrix* draws;  ///< of the errors
    const Pairs* pairs;   ///< nullptr: no pair bounds the interval
};
struct RankCorrelations {
    std::optional<Range> tau, rho;  ///< none: fewer than 3 models, or all values of a set are equal
};
/// Kendall's tau and Spearman's rho of the true orders. What is seen is pulled towards 0 by errors.
/// The truths that are tried lie between one order and what was seen, and beyond: both sets are a
/// line through the models, and what departs from it is taken away by and by. Equal values count 0
/// for tau, and in the order of the models for rho. Cost: some 11 to 30 times draws x models log
/// models.
RankCorrelations rank_correlations(const Ordered& first, const Ordered& second, double level);

/// Tau with equal pairs as 0, and rho by the places in the order of the models.
std::array<double, 2> seen_correlations(std::span<const double> x, std::span<const double> y);

}  // namespace assay::statements
