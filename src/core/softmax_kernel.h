// The two forms of the row functions (softmax.h): the same list of operations, written twice.
#pragma once

#include "core/softmax.h"

namespace assay::detail {

// exp(x): constants of the range reduction and the polynomial. The number ln 2 is split so that n *
// ln2_high is exact (Cody and Waite 1980). The coefficients are the Taylor terms 1/2! ... 1/7!.
// Their remainder at |r| <= ln(2)/2 is below 2^-27.
inline constexpr float log2_e = 1.44269504088896341F;
inline constexpr float ln2_high = 0.693145751953125F;
inline constexpr float ln2_low = 1.42860677e-6F;
inline constexpr float round_to_integer =
    12582912.0F;  // 1.5 * 2^23: adding it leaves the integer in the low bits
inline constexpr float c2 = 0.5F, c3 = 1.0F / 6, c4 = 1.0F / 24, c5 = 1.0F / 120, c6 = 1.0F / 720,
                       c7 = 1.0F / 5040;
inline constexpr float exp_lowest = -104.0F, exp_highest = 88.72F;

/// Joins eight running sums. Both forms end with this function.
inline double join_lanes(const double* lane) {
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) +
           ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

RowScan scan_row_plain(std::span<const float> row, std::int32_t target);
RowSums exp_sums_plain(std::span<const float> row, float shift);
RowSums plain_sums_plain(std::span<const float> row);
void exp_row_plain(std::span<const float> row, float shift, float factor, float* out);

RowScan scan_row_avx2(std::span<const float> row, std::int32_t target);
RowSums exp_sums_avx2(std::span<const float> row, float shift);
RowSums plain_sums_avx2(std::span<const float> row);
void exp_row_avx2(std::span<const float> row, float shift, float factor, float* out);

}  // namespace assay::detail
