// The inner loops of log_odds.cpp. The plain and AVX2 forms give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::detail {

/// Numbers are padded with -infinity to a multiple of this.
inline constexpr std::size_t log_odds_lanes = 8;

// exp(x) of doubles in [log_odds_lowest, 0]: x = n ln 2 + r, a polynomial in r, scaled by 2^n. The
// coefficients are the Taylor terms up to 1/12!, whose remainder at |r| <= ln(2)/2 is below 2^-52.
inline constexpr double exp_log2_e = 0x1.71547652b82fep0;
inline constexpr double exp_ln2_high = 0x1.62e42fefa39efp-1, exp_ln2_low = 0x1.abc9e3b39803fp-56;
/// 1.5 * 2^52. Adding it leaves the integer in the low bits.
inline constexpr double exp_to_integer = 0x1.8p52;
inline constexpr double exp_terms[] = {
    1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
    1.0 / 720,       1.0 / 120,      1.0 / 24,      1.0 / 6,      0.5};
/// Below this argument, the exponential is less than half a unit.
inline constexpr double log_odds_lowest = -40;

/// `count` is a multiple of log_odds_lanes, and above 0.
double max_of_plain(const double* x, std::size_t count);
double max_of_avx2(const double* x, std::size_t count);

/// Sum of exp(x[i] - shift) in units of the last place of `magic`, which is 1.5 * 2^k: adding it
/// rounds to them. No x[i] is above `shift`.
std::int64_t exp_units_plain(const double* x, std::size_t count, double shift, double magic);
std::int64_t exp_units_avx2(const double* x, std::size_t count, double shift, double magic);

}  // namespace assay::detail
