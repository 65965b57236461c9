// Log-odds of the likeliest class of a row, in double precision: what tells confident predictions
// apart where their probabilities round to 1.
//
// Sums are of whole numbers (each exponential in units of 2^-50, of rows of more than 4088 classes
// in coarser ones), so that they do not depend on the order of the classes: rows that hold the same
// numbers in another order have equal log-odds. AVX2 where the processor has it; the plain path
// gives the same bits.
#pragma once

#include <cstdint>
#include <span>

namespace assay {

struct TopLogOdds {
    /// ln(p / (1 - p)) of the class: its score minus the log-sum-exp of all others. Infinite where
    /// the others have no probability.
    double log_odds = 0;
    double largest = 0;    ///< its score
    std::int32_t cls = 0;  ///< the first class that reaches the maximum
};
/// Of logits; -infinity is a probability of 0. `row` not empty, without NaN and +infinity. Where
/// all are -infinity, so are both numbers. Error found against 80-bit arithmetic: 4e-14 at most
/// (tests/core/log_odds_test.cpp).
TopLogOdds top_log_odds(std::span<const float> row);
TopLogOdds top_log_odds(std::span<const double> row);

/// Sum of all numbers but the one at `left_out`, whatever their order; numbers of at least 0.
double sum_without(std::span<const double> row, std::size_t left_out);

/// ln(p / (1 - p)) for a probability in [0, 1]; `rest` is 1 - p.
double log_odds_of(double p, double rest);

}  // namespace assay
