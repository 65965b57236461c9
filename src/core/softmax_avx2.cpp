// The AVX2 form of softmax.cpp. Call it only if cpu_has_avx2().
#if defined(__x86_64__)

#include <algorithm>
#include <array>

#include "core/softmax_exp8.h"
#include "core/softmax_kernel.h"

#define ASSAY_AVX2 __attribute__((target("avx2,fma")))

namespace assay::detail {
namespace {

// exp_f32 is not inlined here: for the last elements the plain form does the same operations, which
// a test checks.
template <bool exponential>
ASSAY_AVX2 inline RowSums sums(std::span<const float> row, float shift) {
    const __m256 minus = _mm256_set1_ps(shift);
    __m256d low = _mm256_setzero_pd(), high = low, low2 = low, high2 = low;
    std::size_t i = 0;
    for (; i + 8 <= row.size(); i += 8) {
        __m256 e = _mm256_loadu_ps(row.data() + i);
        if constexpr (exponential) e = exp8(_mm256_sub_ps(e, minus));
        const __m256d a = _mm256_cvtps_pd(_mm256_castps256_ps128(e));
        const __m256d b = _mm256_cvtps_pd(_mm256_extractf128_ps(e, 1));
        low = _mm256_add_pd(low, a);
        high = _mm256_add_pd(high, b);
        // The square of a float is exact in double, so fused operations give the same bits.
        low2 = _mm256_fmadd_pd(a, a, low2);
        high2 = _mm256_fmadd_pd(b, b, high2);
    }
    std::array<double, 8> lane{}, lane2{};
    _mm256_storeu_pd(lane.data(), low);
    _mm256_storeu_pd(lane.data() + 4, high);
    _mm256_storeu_pd(lane2.data(), low2);
    _mm256_storeu_pd(lane2.data() + 4, high2);
    for (std::size_t j = 0; i < row.size(); ++i, ++j) {
        const double e = exponential ? exp_f32(row[i] - shift) : row[i];
        lane[j] += e;
        lane2[j] += e * e;
    }
    return {join_lanes(lane.data()), join_lanes(lane2.data())};
}

}  // namespace

ASSAY_AVX2 RowScan scan_row_avx2(std::span<const float> row, std::int32_t target) {
    const std::size_t n = row.size(), whole = n / 8 * 8;
    const float* x = row.data();
    RowScan scan{x[0], x[0], 0, -1};
    const float reference = target >= 0 ? x[target] : 0;
    std::int32_t above = 0, equal = 0;
    if (whole > 0) {
        __m256 max = _mm256_loadu_ps(x), min = max;
        const __m256 t = _mm256_set1_ps(reference);
        __m256i greater = _mm256_setzero_si256(), same = greater;
        for (std::size_t i = 0; i < whole; i += 8) {
            const __m256 v = _mm256_loadu_ps(x + i);
            max = _mm256_max_ps(max, v);
            min = _mm256_min_ps(min, v);
            greater =
                _mm256_sub_epi32(greater, _mm256_castps_si256(_mm256_cmp_ps(v, t, _CMP_GT_OQ)));
            same = _mm256_sub_epi32(same, _mm256_castps_si256(_mm256_cmp_ps(v, t, _CMP_EQ_OQ)));
        }
        std::array<float, 8> top{}, bottom{};
        std::array<std::int32_t, 8> count{}, ties{};
        _mm256_storeu_ps(top.data(), max);
        _mm256_storeu_ps(bottom.data(), min);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(count.data()), greater);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(ties.data()), same);
        for (std::size_t j = 0; j < 8; ++j) {
            scan.max = std::max(scan.max, top[j]);
            scan.min = std::min(scan.min, bottom[j]);
            above += count[j];
            equal += ties[j];
        }
    }
    for (std::size_t i = whole; i < n; ++i) {
        scan.max = std::max(scan.max, x[i]);
        scan.min = std::min(scan.min, x[i]);
        above += x[i] > reference ? 1 : 0;
        equal += x[i] == reference ? 1 : 0;
    }
    if (target >= 0) {
        scan.rank = above;
        if (equal > 1) {  // ties are rare, and only then the positions matter
            for (std::int32_t i = 0; i < target; ++i) scan.rank += x[i] == reference ? 1 : 0;
        }
        // Most predictions are correct, and then no search for the arg-max is needed.
        if (scan.rank == 0) {
            scan.argmax = target;
            return scan;
        }
    }
    std::size_t i = 0;
    const __m256 top = _mm256_set1_ps(scan.max);
    for (; i < whole; i += 8) {
        const int mask = _mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(x + i), top, _CMP_EQ_OQ));
        if (mask != 0) {
            scan.argmax = static_cast<std::int32_t>(i) + __builtin_ctz(static_cast<unsigned>(mask));
            return scan;
        }
    }
    while (i < n && x[i] != scan.max) ++i;
    scan.argmax = static_cast<std::int32_t>(i < n ? i : 0);
    return scan;
}

ASSAY_AVX2 RowSums exp_sums_avx2(std::span<const float> row, float shift) {
    return sums<true>(row, shift);
}

ASSAY_AVX2 RowSums plain_sums_avx2(std::span<const float> row) {
    return sums<false>(row, 0);
}

ASSAY_AVX2 void exp_row_avx2(std::span<const float> row, float shift, float factor, float* out) {
    const __m256 minus = _mm256_set1_ps(shift), times = _mm256_set1_ps(factor);
    std::size_t i = 0;
    for (; i + 8 <= row.size(); i += 8) {
        _mm256_storeu_ps(
            out + i,
            _mm256_mul_ps(exp8(_mm256_sub_ps(_mm256_loadu_ps(row.data() + i), minus)), times));
    }
    for (; i < row.size(); ++i) out[i] = exp_f32(row[i] - shift) * factor;
}

}  // namespace assay::detail

#else

#include "core/softmax_kernel.h"

namespace assay::detail {

RowScan scan_row_avx2(std::span<const float>, std::int32_t) {
    return {};
}
RowSums exp_sums_avx2(std::span<const float>, float) {
    return {};
}
RowSums plain_sums_avx2(std::span<const float>) {
    return {};
}
void exp_row_avx2(std::span<const float>, float, float, float*) {}

}  // namespace assay::detail

#endif
