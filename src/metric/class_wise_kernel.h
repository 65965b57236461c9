// The inner loop of class_wise.cpp: plain and AVX2, same bits.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace assay::detail {

inline constexpr std::size_t tree_bounds = 15;  ///< the AVX2 form searches a tree of this many
inline constexpr double quantum_magic =
    6144.0;  ///< 1.5 * 2^12: adding and subtracting it rounds to a multiple of 2^-40

/// p as a multiple of 2^-40, to nearest even. 0 <= p <= 1.
inline double quantised(float p) {
    return (static_cast<double>(p) + quantum_magic) - quantum_magic;
}

/// sums[(i % 128) * stride + number of bounds <= x[i]] += quantised(x[i]). x.size() a multiple of 8; bounds ascending.
void add_by_bin(std::span<const float> x, std::span<const float> bounds, std::size_t stride, double* sums);
void add_by_bin_plain(std::span<const float> x, std::span<const float> bounds, std::size_t stride, double* sums);
void add_by_bin_avx2(std::span<const float> x, const std::array<float, tree_bounds>& bounds, std::size_t stride,
                     double* sums);

/// out[c * out_stride + j] = rows[j][c] for j in [0, 8), c in [0, classes).
void transpose8(const float* const* rows, std::size_t classes, float* out, std::size_t out_stride);
void transpose8_plain(const float* const* rows, std::size_t classes, float* out, std::size_t out_stride);
void transpose8_avx2(const float* const* rows, std::size_t classes, float* out, std::size_t out_stride);

}  // namespace assay::detail
