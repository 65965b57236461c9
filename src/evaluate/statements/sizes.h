// The sizes of gaps over many models: their mean, the mean of |gap|, the spread, and the number
// within a margin.
#pragma once

#include "evaluate/statements/noise.h"

namespace assay::statements {

/// The interval of the mean for these models: value +- z standard errors. `first` and `second` are
/// the errors on the two data sets.
Range mean_gap(std::span<const double> gaps, const Factor& first, const Factor& second,
               double level);

/// The mean of |gap| for these models. The observed mean is too large, because errors increase
/// |gap|. The interval contains the true values for which the observed mean is not extreme, on two
/// paths: all gaps shrink, or all gaps have one size, which errors increase least. `errors` are
/// draws of first - second. Cost: about 200 passes over the draws.
Range mean_absolute_gap(std::span<const double> gaps, const Factor& first, const Factor& second,
                        const Matrix& errors, double level);

/// Standard deviation between models, without the contribution of errors. `total` is total_of() of
/// the factor, or for gaps the sum of both. Needs two models. For equal values it is 0, with NaN
/// ends. The high end never reaches 0 (Read 2002).
Range spread(std::span<const double> values, double total, const Matrix& errors, double level);

struct WithinMargin {
    std::size_t seen = 0, low = 0, high = 0;
};
/// The number of models with |gap| < margin: observed, certain, and possible. A step-down over the
/// largest error finds the certain models (Romano and Wolf 2005).
WithinMargin within_margin(std::span<const double> gaps, std::span<const double> errors_of_gaps,
                           const Matrix& errors, double margin, double level);

/// The roots of the sums of squares.
std::vector<double> errors_of_gaps(const Factor& first, const Factor& second);

}  // namespace assay::statements
