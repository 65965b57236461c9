// How large gaps are, over many models: their mean, the mean of |gap|, the spread, and how many are
// within a margin.
#pragma once

#include "evaluate/statements/noise.h"

namespace assay::statements {

/// Of these models: value +- z standard errors. `first`, `second`: errors of the two data sets.
Range mean_gap(std::span<const double> gaps, const Factor& first, const Factor& second,
               double level);

/// Mean of |gap| of these models. The mean of what was seen is too large, because errors make gaps
/// of either sign larger. The interval holds the truths for which what was seen is not extreme,
/// along two paths: gaps that all shrink, and gaps of one size, to which errors add least.
/// `errors`: draws of first - second. Cost: some 200 passes over the draws.
Range mean_absolute_gap(std::span<const double> gaps, const Factor& first, const Factor& second,
                        const Matrix& errors, double level);

/// Standard deviation between models, without what errors add to it. `total`: that of their factors
/// (total_of), of gaps the sum of both. Needs two models. Equal values: 0, ends NaN. The high end
/// never closes on 0 (Read 2002).
Range spread(std::span<const double> values, double total, const Matrix& errors, double level);

struct WithinMargin {
    std::size_t seen = 0, low = 0, high = 0;
};
/// Models with |gap| < margin: as seen, surely, and possibly. Sure ones are found by step-down over
/// the largest error (Romano and Wolf 2005).
WithinMargin within_margin(std::span<const double> gaps, std::span<const double> errors_of_gaps,
                           const Matrix& errors, double margin, double level);

/// Roots of the sums of squares.
std::vector<double> errors_of_gaps(const Factor& first, const Factor& second);

}  // namespace assay::statements
