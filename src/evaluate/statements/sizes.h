// How large gaps are over many models: their mean, the mean of |gap|, the spread, and how many are
// within a margin.
#pragma once

#include "evaluate/statements/noise.h"

namespace assay::statements {

/// For these models: value +- z standard errors. `first` and `second` are the errors of the two
/// data sets.
Range mean_gap(std::span<const double> gaps, const Factor& first, const Factor& second,
               double level);

/// Mean of |gap| for these models. The observed mean is too large, because errors make gaps of
/// either sign larger. The interval contains the true values for which the observed one is not
/// extreme, along two paths. Either all gaps shrink, or gaps have equal size, to which errors add
/// least. `errors` are draws of first - second. Cost: about 200 passes over the draws.
Range mean_absolute_gap(std::span<const double> gaps, const Factor& first, const Factor& second,
                        const Matrix& errors, double level);

/// Standard deviation between models, without the contribution of errors. `total` is total_of()
/// their factors; for gaps, the sum of both. It needs two models. For equal values it is 0, with
/// NaN ends. The high end never reaches 0 (Read 2002).
Range spread(std::span<const double> values, double total, const Matrix& errors, double level);

struct WithinMargin {
    std::size_t seen = 0, low = 0, high = 0;
};
/// The number of models with |gap| < margin: observed, certain, and possible. Certain ones are
/// found by step-down over the largest error (Romano and Wolf 2005).
WithinMargin within_margin(std::span<const double> gaps, std::span<const double> errors_of_gaps,
                           const Matrix& errors, double margin, double level);

/// Roots of the sums of squares.
std::vector<double> errors_of_gaps(const Factor& first, const Factor& second);

}  // namespace assay::statements
