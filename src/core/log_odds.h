// Log-odds of the likeliest class of a row, in double precision. They distinguish confident
// predictions whose probabilities round to 1.
//
// The sums add whole numbers: each exponential in units of 2^-50, or in coarser units for rows of
// more than 4088 classes. So they do not depend on the order of the classes: permuting a row does
// not change its log-odds. AVX2 is used if the processor has it, and the plain path gives the same
// bits.
#pragma once

#include <cstdint>
#include <span>

namespace assay {

struct TopLogOdds {
    /// ln(p / (1 - p)) of the class: its score minus the log-sum-exp of all others. Infinite if all
    /// others have probability 0.
    double log_odds = 0;
    double largest = 0;    ///< its score
    std::int32_t cls = 0;  ///< the first class that reaches the maximum
};
/// For logits; -infinity is a probability of 0. `row` must not be empty, and must not contain NaN
/// or +infinity. If all scores are -infinity, both results are too. The largest error measured
/// against 80-bit arithmetic is 4e-14 (tests/core/log_odds_test.cpp).
TopLogOdds top_log_odds(std::span<const float> row);
TopLogOdds top_log_odds(std::span<const double> row);

/// The sum of all numbers except the one at `left_out`. The result does not depend on their order.
/// All numbers must be at least 0.
double sum_without(std::span<const double> row, std::size_t left_out);

/// ln(p / (1 - p)) for a probability in [0, 1]; `rest` is 1 - p.
double log_odds_of(double p, double rest);

}  // namespace assay
