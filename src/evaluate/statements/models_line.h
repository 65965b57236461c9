// The line of one data set's values as a function of the other's, over the models.
#pragma once

#include <optional>

#include "evaluate/statements/noise.h"

namespace assay::statements {

/// The input for a line: the models' values on two data sets, and their errors.
struct TwoSets {
    std::span<const double> x, y;
    const Factor *first, *second;
    const Matrix *first_draws, *second_draws;
};

/// Slope of y on x for these models. It is corrected for errors in x, which would pull it to 0
/// (Fuller 1987); the interval is Fieller's (1954). If the models differ too little on x, the value
/// is NaN and the ends are infinite.
Range slope_of_these(const TwoSets& sets, double level);

/// The same slope without draws, and so without an interval.
double slope_without_errors(const TwoSets& sets);

/// The intervals for models like these, as if drawn at random: t over families. `families` has a
/// number from 0 per model. No value with fewer than 2 families (mean gap) or 4 (slope), or for the
/// slope without draws.
struct LikeThese {
    std::optional<Range> mean_gap, slope;
};
LikeThese models_like_these(const TwoSets& sets, std::span<const std::size_t> families,
                            double level);

/// Tests by the coefficient of x^2 whether one line describes the models.
struct Curvature {
    double coefficient = 0, standard_error = 0;
    double low_slope = 0, high_slope = 0;  ///< at the 10 % and the 90 % quantile of x
    bool curved = false;
};
/// No value with fewer than 4 models, or if x has fewer than three distinct values.
std::optional<Curvature> curvature_of(const TwoSets& sets);
/// The mean square of y around the parabola, and the slope of a straight line. They bound the
/// errors that models do not share.
struct AroundParabola {
    double variance = 0, slope = 0;
};
std::optional<AroundParabola> around_parabola(std::span<const double> x, std::span<const double> y);

}  // namespace assay::statements
