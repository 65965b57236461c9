// The AVX2 form of class_wise_kernel.cpp. Call it only if cpu_has_avx2().
#if defined(__x86_64__)

#include "metric/class_wise_kernel.h"

#include <immintrin.h>

#include <array>
#include <cstdint>

#include "assay/metric/metric.h"
#include "core/softmax_exp8.h"

#define ASSAY_AVX2 __attribute__((target("avx2,fma")))

namespace assay::detail {

// Finds the bin by a binary search of four steps, for eight items at a time. The bounds of each
// level fit in one register, and a permutation looks up the next one. The additions are scalar, but
// eight neighbors belong to eight different groups, so no addition waits for the previous one.
ASSAY_AVX2 void add_by_bin_avx2(std::span<const float> x,
                                const std::array<float, tree_bounds>& bounds, std::size_t stride,
                                double* sums) {
    const __m256 level1 = _mm256_set1_ps(bounds[7]);
    const __m256 level2 = _mm256_setr_ps(bounds[3], bounds[11], 0, 0, 0, 0, 0, 0);
    const __m256 level3 = _mm256_setr_ps(bounds[1], bounds[5], bounds[9], bounds[13], 0, 0, 0, 0);
    const __m256 level4 = _mm256_setr_ps(bounds[0], bounds[2], bounds[4], bounds[6], bounds[8],
                                         bounds[10], bounds[12], bounds[14]);
    const __m256d magic = _mm256_set1_pd(quantum_magic);
    const auto step = static_cast<std::int32_t>(stride);
    const __m256i runs =
        _mm256_mullo_epi32(_mm256_set1_epi32(step), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    alignas(32) std::array<std::uint32_t, 8> bin;
    alignas(32) std::array<double, 8> value;
    for (std::size_t i = 0; i + 8 <= x.size(); i += 8) {
        const __m256 p = _mm256_loadu_ps(x.data() + i);
        const auto reached = [p](__m256 bound) __attribute__((target("avx2,fma"))) {
            return _mm256_castps_si256(_mm256_cmp_ps(p, bound, _CMP_GE_OQ));
        };
        __m256i index = _mm256_sub_epi32(_mm256_setzero_si256(), reached(level1));
        index = _mm256_sub_epi32(_mm256_add_epi32(index, index),
                                 reached(_mm256_permutevar8x32_ps(level2, index)));
        index = _mm256_sub_epi32(_mm256_add_epi32(index, index),
                                 reached(_mm256_permutevar8x32_ps(level3, index)));
        index = _mm256_sub_epi32(_mm256_add_epi32(index, index),
                                 reached(_mm256_permutevar8x32_ps(level4, index)));
        const __m256d low = _mm256_cvtps_pd(_mm256_castps256_ps128(p)),
                      high = _mm256_cvtps_pd(_mm256_extractf128_ps(p, 1));
        _mm256_store_si256(reinterpret_cast<__m256i*>(bin.data()), _mm256_add_epi32(index, runs));
        _mm256_store_pd(value.data(), _mm256_sub_pd(_mm256_add_pd(low, magic), magic));
        _mm256_store_pd(value.data() + 4, _mm256_sub_pd(_mm256_add_pd(high, magic), magic));
        double* const group = sums + i % group_count * stride;
        group[bin[0]] += value[0];
        group[bin[1]] += value[1];
        group[bin[2]] += value[2];
        group[bin[3]] += value[3];
        group[bin[4]] += value[4];
        group[bin[5]] += value[5];
        group[bin[6]] += value[6];
        group[bin[7]] += value[7];
    }
}

ASSAY_AVX2 std::size_t add_by_key_avx2(std::span<const float> x, const std::uint16_t* slot,
                                       std::int64_t* sums, std::uint32_t* rest) {
    const __m256d magic = _mm256_set1_pd(quantum_magic);
    alignas(32) std::array<std::int64_t, 8> value;
    std::size_t left = 0;
    for (std::size_t i = 0; i + 8 <= x.size(); i += 8) {
        const __m256 p = _mm256_loadu_ps(x.data() + i);
        const __m256d low = _mm256_cvtps_pd(_mm256_castps256_ps128(p)),
                      high = _mm256_cvtps_pd(_mm256_extractf128_ps(p, 1));
        const auto units = [magic](__m256d v) __attribute__((target("avx2,fma"))) {
            return _mm256_sub_epi64(_mm256_castpd_si256(_mm256_add_pd(v, magic)),
                                    _mm256_castpd_si256(magic));
        };
        _mm256_store_si256(reinterpret_cast<__m256i*>(value.data()), units(low));
        _mm256_store_si256(reinterpret_cast<__m256i*>(value.data() + 4), units(high));
        std::int64_t* const group = sums + i % group_count;
        const auto add = [&](std::size_t j) __attribute__((always_inline)) {
            const std::uint16_t at = slot[key_of(x[i + j])];
            if (at >= unsettled) [[unlikely]] {
                rest[left++] = static_cast<std::uint32_t>(i + j);
            } else {
                group[at + j] += value[j];
            }
        };
        add(0);
        add(1);
        add(2);
        add(3);
        add(4);
        add(5);
        add(6);
        add(7);
    }
    return left;
}

namespace {

struct Square {
    __m256 r[8];
};

// Transposes eight rows of eight to eight columns, in place.
ASSAY_AVX2 inline void turn8(Square& square) {
    __m256* const r = square.r;
    const __m256 a0 = _mm256_unpacklo_ps(r[0], r[1]), a1 = _mm256_unpackhi_ps(r[0], r[1]);
    const __m256 a2 = _mm256_unpacklo_ps(r[2], r[3]), a3 = _mm256_unpackhi_ps(r[2], r[3]);
    const __m256 a4 = _mm256_unpacklo_ps(r[4], r[5]), a5 = _mm256_unpackhi_ps(r[4], r[5]);
    const __m256 a6 = _mm256_unpacklo_ps(r[6], r[7]), a7 = _mm256_unpackhi_ps(r[6], r[7]);
    const __m256 b0 = _mm256_shuffle_ps(a0, a2, 0x44), b1 = _mm256_shuffle_ps(a0, a2, 0xEE);
    const __m256 b2 = _mm256_shuffle_ps(a1, a3, 0x44), b3 = _mm256_shuffle_ps(a1, a3, 0xEE);
    const __m256 b4 = _mm256_shuffle_ps(a4, a6, 0x44), b5 = _mm256_shuffle_ps(a4, a6, 0xEE);
    const __m256 b6 = _mm256_shuffle_ps(a5, a7, 0x44), b7 = _mm256_shuffle_ps(a5, a7, 0xEE);
    r[0] = _mm256_permute2f128_ps(b0, b4, 0x20);
    r[1] = _mm256_permute2f128_ps(b1, b5, 0x20);
    r[2] = _mm256_permute2f128_ps(b2, b6, 0x20);
    r[3] = _mm256_permute2f128_ps(b3, b7, 0x20);
    r[4] = _mm256_permute2f128_ps(b0, b4, 0x31);
    r[5] = _mm256_permute2f128_ps(b1, b5, 0x31);
    r[6] = _mm256_permute2f128_ps(b2, b6, 0x31);
    r[7] = _mm256_permute2f128_ps(b3, b7, 0x31);
}

template <bool exponential>
ASSAY_AVX2 inline __m256 probability8(const ScoreRow& row, std::size_t c) {
    const __m256 x = _mm256_loadu_ps(row.scores + c), factor = _mm256_broadcast_ss(&row.factor);
    if constexpr (exponential)
        return _mm256_mul_ps(exp8(_mm256_sub_ps(x, _mm256_broadcast_ss(&row.shift))), factor);
    // The second operand is the result if both are zero, so that -0 becomes 0.
    return _mm256_min_ps(_mm256_max_ps(_mm256_mul_ps(x, factor), _mm256_setzero_ps()),
                         _mm256_set1_ps(1.0F));
}

template <bool exponential>
ASSAY_AVX2 void turn16_of(const ScoreRow* rows, const ScoreRow* ahead, std::size_t classes,
                          float* out, std::size_t out_stride) {
    std::size_t c = 0;
    for (; c + 8 <= classes; c += 8) {
        // Rows are far apart, and only a few of their cache lines are read: no processor predicts
        // this by itself.
        if (c % 16 == 0 && ahead != nullptr) {
            for (std::size_t j = 0; j < 16; ++j) __builtin_prefetch(ahead[j].scores + c);
        }
        // Prefetches the next line of each column: there are too many columns for the processor to
        // follow.
        for (std::size_t j = 0; j < 8; ++j) __builtin_prefetch(out + (c + j) * out_stride + 16, 1);
        for (std::size_t half = 0; half < 16; half += 8) {
            Square square;
            for (std::size_t j = 0; j < 8; ++j)
                square.r[j] = probability8<exponential>(rows[half + j], c);
            turn8(square);
            for (std::size_t j = 0; j < 8; ++j)
                _mm256_storeu_ps(out + (c + j) * out_stride + half, square.r[j]);
        }
    }
    if (c == classes) return;
    std::array<ScoreRow, 16> tail;
    for (std::size_t j = 0; j < 16; ++j)
        tail[j] = {rows[j].scores + c, rows[j].shift, rows[j].factor};
    turn16_plain(tail.data(), exponential, classes - c, out + c * out_stride, out_stride);
}

}  // namespace

ASSAY_AVX2 void turn16_avx2(const ScoreRow* rows, const ScoreRow* ahead, bool exponential,
                            std::size_t classes, float* out, std::size_t out_stride) {
    exponential ? turn16_of<true>(rows, ahead, classes, out, out_stride)
                : turn16_of<false>(rows, ahead, classes, out, out_stride);
}

ASSAY_AVX2 void transpose8_avx2(const float* const* rows, std::size_t classes, float* out,
                                std::size_t out_stride) {
    std::size_t c = 0;
    for (; c + 8 <= classes; c += 8) {
        Square square;
        for (std::size_t j = 0; j < 8; ++j) square.r[j] = _mm256_loadu_ps(rows[j] + c);
        turn8(square);
        for (std::size_t j = 0; j < 8; ++j)
            _mm256_storeu_ps(out + (c + j) * out_stride, square.r[j]);
    }
    for (; c < classes; ++c) {
        for (std::size_t j = 0; j < 8; ++j) out[c * out_stride + j] = rows[j][c];
    }
}

ASSAY_AVX2 void transpose8_avx2(const double* rows, std::size_t classes, double* out,
                                std::size_t out_stride) {
    std::size_t c = 0;
    for (; c + 4 <= classes; c += 4) {
        for (std::size_t half = 0; half < 8; half += 4) {
            const double* const from = rows + half * classes + c;
            const __m256d a = _mm256_loadu_pd(from), b = _mm256_loadu_pd(from + classes),
                          d = _mm256_loadu_pd(from + 2 * classes),
                          e = _mm256_loadu_pd(from + 3 * classes);
            const __m256d low = _mm256_unpacklo_pd(a, b), high = _mm256_unpackhi_pd(a, b),
                          low2 = _mm256_unpacklo_pd(d, e), high2 = _mm256_unpackhi_pd(d, e);
            double* const to = out + c * out_stride + half;
            _mm256_storeu_pd(to, _mm256_permute2f128_pd(low, low2, 0x20));
            _mm256_storeu_pd(to + out_stride, _mm256_permute2f128_pd(high, high2, 0x20));
            _mm256_storeu_pd(to + 2 * out_stride, _mm256_permute2f128_pd(low, low2, 0x31));
            _mm256_storeu_pd(to + 3 * out_stride, _mm256_permute2f128_pd(high, high2, 0x31));
        }
    }
    for (; c < classes; ++c) {
        for (std::size_t j = 0; j < 8; ++j) out[c * out_stride + j] = rows[j * classes + c];
    }
}

}  // namespace assay::detail

#else

#include "metric/class_wise_kernel.h"

namespace assay::detail {

void add_by_bin_avx2(std::span<const float>, const std::array<float, tree_bounds>&, std::size_t,
                     double*) {}
std::size_t add_by_key_avx2(std::span<const float>, const std::uint16_t*, std::int64_t*,
                            std::uint32_t*) {
    return 0;
}
void transpose8_avx2(const float* const*, std::size_t, float*, std::size_t) {}
void transpose8_avx2(const double*, std::size_t, double*, std::size_t) {}
void turn16_avx2(const ScoreRow*, const ScoreRow*, bool, std::size_t, float*, std::size_t) {}

}  // namespace assay::detail

#endif
