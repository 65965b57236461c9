// Errors of proportions, and of values computed from them, if the usual formulas give
// 0.
#pragma once

#include <cstdint>
#include <string>

#include "assay/estimate.h"

namespace assay {

/// The square of half the one-sided bound of a proportion of 0 or 1 in n (the rule of three).
double none_or_all_variance(std::uint64_t n, double level);

/// Wilson's interval for a value in (0, 1), with the number of draws that gives this variance. Its
/// `quantile` is that of the normal distribution or Student's. Unlike value +- quantile * error,
/// the interval is longer on the side with more room.
Interval wilson_of_variance(double value, double variance, double quantile, double level,
                            std::string method);

/// For a value that is 0 because a factor is 0: sets the interval [0, bound], and half of the bound
/// as the standard error.
void take_zero_bound(Estimate& value, double bound, double level);

}  // namespace assay
