// The AVX2 form of guided_search.cpp. Call it only if cpu_has_avx2().
#include "metric/guided_search.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define ASSAY_AVX2 __attribute__((target("avx2,fma")))

namespace assay {
namespace {

// Converts the comparison result of four doubles to four 32-bit numbers: 0 or -1.
ASSAY_AVX2 inline __m128i narrow(__m256d mask) {
    const __m256 bits = _mm256_castpd_ps(mask);
    return _mm_castps_si128(
        _mm_shuffle_ps(_mm256_castps256_ps128(bits), _mm256_extractf128_ps(bits, 1), 0x88));
}

// Replaces _mm256_i32gather_pd(), which reads an uninitialized register.
ASSAY_AVX2 inline __m256d gather(const double* values, __m128i at) {
    const __m256d all = _mm256_castsi256_pd(_mm256_set1_epi64x(-1));
    return _mm256_mask_i32gather_pd(_mm256_setzero_pd(), values, at, all, 8);
}

}  // namespace

ASSAY_AVX2 void GuidedSearch::find_avx2(const double* values, std::span<const double> column,
                                        std::uint32_t* slots) const {
    const __m256d low = _mm256_set1_pd(low_), scale = _mm256_set1_pd(scale_),
                  last = _mm256_set1_pd(last_), zero = _mm256_setzero_pd();
    const int* const starts = reinterpret_cast<const int*>(starts_.data());
    for (std::size_t i = 0; i < column.size(); i += lanes) {
        const __m256d x[2] = {_mm256_loadu_pd(column.data() + i),
                              _mm256_loadu_pd(column.data() + i + 4)};
        __m128i base[2];
        for (int k = 0; k < 2; ++k) {
            // If an operand is NaN, _mm256_max_pd() returns the second: 0, as std::max() does in
            // cell_of().
            const __m256d cell = _mm256_min_pd(
                _mm256_max_pd(_mm256_mul_pd(_mm256_sub_pd(x[k], low), scale), zero), last);
            base[k] = _mm_i32gather_epi32(starts, _mm256_cvttpd_epi32(cell), 4);
        }
        for (std::uint32_t left = window_; left > 1;) {
            const std::uint32_t half = left / 2;
            const __m128i step = _mm_set1_epi32(static_cast<int>(half));
            for (int k = 0; k < 2; ++k) {
                const __m256d value = gather(values + half - 1, base[k]);
                const __m128i below = narrow(_mm256_cmp_pd(value, x[k], _CMP_LT_OQ));
                base[k] = _mm_add_epi32(base[k], _mm_and_si128(below, step));
            }
            left -= half;
        }
        for (int k = 0; k < 2; ++k) {
            const __m256d value = gather(values, base[k]);
            const __m128i below = narrow(_mm256_cmp_pd(value, x[k], _CMP_LT_OQ));
            const __m128i equal = narrow(_mm256_cmp_pd(value, x[k], _CMP_EQ_OQ));
            // Computes 2 * (base + (below ? 1 : 0)) + (equal ? 1 : 0).
            const __m128i slot = _mm_slli_epi32(_mm_sub_epi32(base[k], below), 1);
            _mm_storeu_si128(reinterpret_cast<__m128i*>(slots + i + 4 * static_cast<unsigned>(k)),
                             _mm_sub_epi32(slot, equal));
        }
    }
}

}  // namespace assay

#else

namespace assay {

void GuidedSearch::find_avx2(const double*, std::span<const double>, std::uint32_t*) const {}

}  // namespace assay

#endif
