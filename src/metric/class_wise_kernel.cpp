#include "class_wise_kernel.h"

#include <algorithm>
#include <limits>

#include "assay/cpu.h"
#include "assay/metric.h"

namespace assay::detail {

void add_by_bin_plain(std::span<const float> x, std::span<const float> bounds, std::size_t stride, double* sums) {
    for (std::size_t i = 0; i < x.size(); ++i) {
        const auto bin = std::upper_bound(bounds.begin(), bounds.end(), x[i]) - bounds.begin();
        sums[i % group_count * stride + static_cast<std::size_t>(bin)] += quantised(x[i]);
    }
}

void transpose8_plain(const float* const* rows, std::size_t classes, float* out, std::size_t out_stride) {
    for (std::size_t c = 0; c < classes; ++c) {
        for (std::size_t j = 0; j < 8; ++j) out[c * out_stride + j] = rows[j][c];
    }
}

void add_by_bin(std::span<const float> x, std::span<const float> bounds, std::size_t stride, double* sums) {
    if (bounds.size() > tree_bounds || !cpu_has_avx2()) return add_by_bin_plain(x, bounds, stride, sums);
    std::array<float, tree_bounds> padded;
    padded.fill(std::numeric_limits<float>::infinity());
    std::copy(bounds.begin(), bounds.end(), padded.begin());
    add_by_bin_avx2(x, padded, stride, sums);
}

void transpose8(const float* const* rows, std::size_t classes, float* out, std::size_t out_stride) {
    if (!cpu_has_avx2()) return transpose8_plain(rows, classes, out, out_stride);
    transpose8_avx2(rows, classes, out, out_stride);
}

}  // namespace assay::detail
