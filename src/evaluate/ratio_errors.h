// Errors of proportions and of what is made of them, where the formulas of the textbooks see none.
#pragma once

#include <cstdint>
#include <string>

#include "assay/estimate.h"

namespace assay {

/// Of a proportion of none or all of n: the square of half its one-sided bound (the rule of three).
double none_or_all_variance(std::uint64_t n, double level);

/// Wilson's interval of a value in (0, 1), with as many draws as have this variance, and `quantile`
/// of the normal distribution or Student's: unlike value +- quantile * error, it is longer on the
/// side that has room.
Interval wilson_of_variance(double value, double variance, double quantile, double level,
                            std::string method);

/// A value that is 0 because a factor is: [0, bound], and half of the bound as the standard error.
void take_zero_bound(Estimate& value, double bound, double level);

}  // namespace assay
