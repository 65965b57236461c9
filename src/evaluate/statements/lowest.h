// The lowest of several values, such as the differences of groups of images.
#pragma once

#include <cstdint>
#include <span>

#include "evaluate/statements/noise.h"

namespace assay::statements {

/// How much lower the lowest of these values is expected to be than the lowest true one. The true
/// ones are assumed to spread as much as the values do beyond their errors (standard deviations,
/// one for each value, independent of each other). 0 for a single value. Cost: 1,000 draws of each
/// error.
double bias_of_lowest(std::span<const double> values, std::span<const double> errors,
                      std::uint64_t seed);

}  // namespace assay::statements
