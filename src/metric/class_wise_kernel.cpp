#include "metric/class_wise_kernel.h"

#include <algorithm>
#include <limits>

#include "assay/metric/metric.h"
#include "core/cpu.h"
#include "core/softmax.h"

namespace assay::detail {

void add_by_bin_plain(std::span<const float> x, std::span<const float> bounds, std::size_t stride,
                      double* sums) {
    for (std::size_t i = 0; i < x.size(); ++i) {
        const auto bin = std::upper_bound(bounds.begin(), bounds.end(), x[i]) - bounds.begin();
        sums[i % group_count * stride + static_cast<std::size_t>(bin)] += quantised(x[i]);
    }
}

std::size_t add_by_key_plain(std::span<const float> x, const std::uint16_t* slot,
                             std::int64_t* sums, std::uint32_t* rest) {
    std::size_t left = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const std::uint16_t at = slot[key_of(x[i])];
        if (at >= unsettled) {
            rest[left++] = static_cast<std::uint32_t>(i);
        } else {
            sums[at + i % group_count] += quanta(x[i]);
        }
    }
    return left;
}

void transpose8_plain(const float* const* rows, std::size_t classes, float* out,
                      std::size_t out_stride) {
    for (std::size_t c = 0; c < classes; ++c) {
        for (std::size_t j = 0; j < 8; ++j) out[c * out_stride + j] = rows[j][c];
    }
}

void transpose8_plain(const double* rows, std::size_t classes, double* out,
                      std::size_t out_stride) {
    for (std::size_t c = 0; c < classes; ++c) {
        for (std::size_t j = 0; j < 8; ++j) out[c * out_stride + j] = rows[j * classes + c];
    }
}

void turn16_plain(const ScoreRow* rows, bool exponential, std::size_t classes, float* out,
                  std::size_t out_stride) {
    for (std::size_t j = 0; j < 16; ++j) {
        const ScoreRow& row = rows[j];
        for (std::size_t c = 0; c < classes; ++c) {
            out[c * out_stride + j] =
                exponential ? exp_f32(row.scores[c] - row.shift) * row.factor
                            : std::clamp(row.scores[c] * row.factor + 0.0F, 0.0F, 1.0F);
        }
    }
}

void add_by_bin(std::span<const float> x, std::span<const float> bounds, std::size_t stride,
                double* sums) {
    if (bounds.size() > tree_bounds || !cpu_has_avx2())
        return add_by_bin_plain(x, bounds, stride, sums);
    std::array<float, tree_bounds> padded;
    padded.fill(std::numeric_limits<float>::infinity());
    std::copy(bounds.begin(), bounds.end(), padded.begin());
    add_by_bin_avx2(x, padded, stride, sums);
}

std::size_t add_by_key(std::span<const float> x, const std::uint16_t* slot, std::int64_t* sums,
                       std::uint32_t* rest) {
    return cpu_has_avx2() ? add_by_key_avx2(x, slot, sums, rest)
                          : add_by_key_plain(x, slot, sums, rest);
}

void transpose8(const float* const* rows, std::size_t classes, float* out, std::size_t out_stride) {
    if (!cpu_has_avx2()) return transpose8_plain(rows, classes, out, out_stride);
    transpose8_avx2(rows, classes, out, out_stride);
}

void transpose8(const double* rows, std::size_t classes, double* out, std::size_t out_stride) {
    if (!cpu_has_avx2()) return transpose8_plain(rows, classes, out, out_stride);
    transpose8_avx2(rows, classes, out, out_stride);
}

void turn16(const ScoreRow* rows, const ScoreRow* ahead, bool exponential, std::size_t classes,
            float* out, std::size_t out_stride) {
    if (!cpu_has_avx2()) return turn16_plain(rows, exponential, classes, out, out_stride);
    turn16_avx2(rows, ahead, exponential, classes, out, out_stride);
}

}  // namespace assay::detail
