// The inner loops of the class-wise bins, in bit-identical plain and AVX2 forms.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "metric/class_wise.h"

namespace assay::detail {

/// the AVX2 form searches a tree with this many bounds
inline constexpr std::size_t tree_bounds = 15;
inline constexpr double quantum_magic =
    6144.0;  ///< 1.5 * 2^12: adding and subtracting it rounds to a multiple of 2^-40

/// Rounds p to a multiple of 2^-40, to nearest even. Requires 0 <= p <= 1.
inline double quantised(float p) {
    return (static_cast<double>(p) + quantum_magic) - quantum_magic;
}
/// The same value in units of 2^-40.
inline std::int64_t quanta(float p) {
    return std::bit_cast<std::int64_t>(static_cast<double>(p) + quantum_magic) -
           std::bit_cast<std::int64_t>(quantum_magic);
}

/// The key has the sign, the exponent and 8 bits of the mantissa: values with the same key differ
/// by less than 0.4 %.
inline constexpr std::uint32_t key_shift = 15;
inline constexpr std::size_t keys =
    (0x3F800000U >> key_shift) + 1;  ///< keys for numbers in [0, 1]; the last one is only for 1
inline std::uint32_t key_of(float p) {
    return std::bit_cast<std::uint32_t>(p) >> key_shift;
}

/// sums[(i % 128) * stride + number of bounds <= x[i]] += quantised(x[i]). x.size() must be a
/// multiple of 8, and bounds must be ascending.
void add_by_bin(std::span<const float> x, std::span<const float> bounds, std::size_t stride,
                double* sums);
void add_by_bin_plain(std::span<const float> x, std::span<const float> bounds, std::size_t stride,
                      double* sums);
void add_by_bin_avx2(std::span<const float> x, const std::array<float, tree_bounds>& bounds,
                     std::size_t stride, double* sums);

/// sums[slot[key_of(x[i])] + i % 128] += quanta(x[i]) if that slot is below `unsettled`; otherwise
/// i is appended to `rest`. Returns the number of appended items. x.size() must be a multiple of 8.
inline constexpr std::uint16_t unsettled = 0x8000;
std::size_t add_by_key(std::span<const float> x, const std::uint16_t* slot, std::int64_t* sums,
                       std::uint32_t* rest);
std::size_t add_by_key_plain(std::span<const float> x, const std::uint16_t* slot,
                             std::int64_t* sums, std::uint32_t* rest);
std::size_t add_by_key_avx2(std::span<const float> x, const std::uint16_t* slot, std::int64_t* sums,
                            std::uint32_t* rest);

/// Sets out[c * out_stride + j] to rows[j][c] for j in [0, 8), c in [0, classes).
void transpose8(const float* const* rows, std::size_t classes, float* out, std::size_t out_stride);
void transpose8_plain(const float* const* rows, std::size_t classes, float* out,
                      std::size_t out_stride);
void transpose8_avx2(const float* const* rows, std::size_t classes, float* out,
                     std::size_t out_stride);

/// The same for eight consecutive rows of doubles.
void transpose8(const double* rows, std::size_t classes, double* out, std::size_t out_stride);
void transpose8_plain(const double* rows, std::size_t classes, double* out, std::size_t out_stride);
void transpose8_avx2(const double* rows, std::size_t classes, double* out, std::size_t out_stride);

/// The same for sixteen rows of scores, which are converted to probabilities: it writes a whole
/// cache line of each column at once. `ahead` is the sixteen rows of the next call, or null.
void turn16(const ScoreRow* rows, const ScoreRow* ahead, bool exponential, std::size_t classes,
            float* out, std::size_t out_stride);
void turn16_plain(const ScoreRow* rows, bool exponential, std::size_t classes, float* out,
                  std::size_t out_stride);
void turn16_avx2(const ScoreRow* rows, const ScoreRow* ahead, bool exponential, std::size_t classes,
                 float* out, std::size_t out_stride);

}  // namespace assay::detail
