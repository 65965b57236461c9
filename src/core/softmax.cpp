#include "core/softmax.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "core/cpu.h"
#include "core/softmax_kernel.h"

namespace assay {
namespace {

float power_of_two(std::int32_t n) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(n + 127) << 23);
}

template <class Value>
RowSums lane_sums(std::span<const float> row, Value&& value) {
    std::array<double, 8> sum{}, squares{};
    for (std::size_t i = 0; i < row.size(); ++i) {
        const double e = value(row[i]);
        sum[i % 8] += e;
        squares[i % 8] += e * e;
    }
    return {detail::join_lanes(sum.data()), detail::join_lanes(squares.data())};
}

}  // namespace

float exp_f32(float x) {
    using namespace detail;
    x = std::min(std::max(x, exp_lowest), exp_highest);
    const float shifted = std::fma(x, log2_e, round_to_integer);
    const float whole = shifted - round_to_integer;
    float r = std::fma(-whole, ln2_high, x);
    r = std::fma(-whole, ln2_low, r);
    float p = std::fma(c7, r, c6);
    p = std::fma(p, r, c5);
    p = std::fma(p, r, c4);
    p = std::fma(p, r, c3);
    p = std::fma(p, r, c2);
    p = std::fma(p, r * r, r) + 1.0F;
    // Scales in two steps, because 2^n alone may lie outside the normal range. If `p` is NaN, the
    // result is NaN.
    const auto n = std::isnan(whole) ? 0 : static_cast<std::int32_t>(whole);
    const std::int32_t half = n >> 1;
    return p * power_of_two(half) * power_of_two(n - half);
}

namespace detail {

RowScan scan_row_plain(std::span<const float> row, std::int32_t target) {
    RowScan scan{row[0], row[0], 0, -1};
    for (std::size_t i = 1; i < row.size(); ++i) {
        if (row[i] > scan.max) {
            scan.max = row[i];
            scan.argmax = static_cast<std::int32_t>(i);
        }
        scan.min = std::min(scan.min, row[i]);
    }
    if (target >= 0) {
        const auto t = static_cast<std::size_t>(target);
        scan.rank = 0;
        for (std::size_t i = 0; i < row.size(); ++i)
            scan.rank += row[i] > row[t] || (i < t && row[i] == row[t]) ? 1 : 0;
    }
    return scan;
}

RowSums exp_sums_plain(std::span<const float> row, float shift) {
    return lane_sums(row, [shift](float x) { return static_cast<double>(exp_f32(x - shift)); });
}

RowSums plain_sums_plain(std::span<const float> row) {
    return lane_sums(row, [](float x) { return static_cast<double>(x); });
}

void exp_row_plain(std::span<const float> row, float shift, float factor, float* out) {
    for (std::size_t i = 0; i < row.size(); ++i) out[i] = exp_f32(row[i] - shift) * factor;
}

}  // namespace detail

RowScan scan_row(std::span<const float> row, std::int32_t target) {
    return cpu_has_avx2() ? detail::scan_row_avx2(row, target)
                          : detail::scan_row_plain(row, target);
}

RowSums exp_sums(std::span<const float> row, float shift) {
    return cpu_has_avx2() ? detail::exp_sums_avx2(row, shift) : detail::exp_sums_plain(row, shift);
}

RowSums plain_sums(std::span<const float> row) {
    return cpu_has_avx2() ? detail::plain_sums_avx2(row) : detail::plain_sums_plain(row);
}

void exp_row(std::span<const float> row, float shift, float factor, float* out) {
    return cpu_has_avx2() ? detail::exp_row_avx2(row, shift, factor, out)
                          : detail::exp_row_plain(row, shift, factor, out);
}

}  // namespace assay
