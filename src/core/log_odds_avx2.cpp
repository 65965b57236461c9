// The AVX2 form of log_odds.cpp. Call it only if cpu_has_avx2().
#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>

#include "core/log_odds_kernel.h"

#define ASSAY_AVX2 __attribute__((target("avx2,fma")))

namespace assay::detail {

ASSAY_AVX2 double max_of_avx2(const double* x, std::size_t count) {
    __m256d low = _mm256_loadu_pd(x), high = _mm256_loadu_pd(x + 4);
    for (std::size_t i = log_odds_lanes; i < count; i += log_odds_lanes) {
        low = _mm256_max_pd(low, _mm256_loadu_pd(x + i));
        high = _mm256_max_pd(high, _mm256_loadu_pd(x + i + 4));
    }
    std::array<double, 4> lane{};
    _mm256_storeu_pd(lane.data(), _mm256_max_pd(low, high));
    return std::max(std::max(lane[0], lane[1]), std::max(lane[2], lane[3]));
}

namespace {

// Returns the bits of exp(x - shift) + magic. The caller subtracts the bits of magic.
ASSAY_AVX2 inline __m256i exp_bits4(__m256d x, __m256d shift, __m256d magic) {
    x = _mm256_max_pd(_mm256_sub_pd(x, shift), _mm256_set1_pd(log_odds_lowest));
    const __m256d to_integer = _mm256_set1_pd(exp_to_integer);
    const __m256d shifted = _mm256_fmadd_pd(x, _mm256_set1_pd(exp_log2_e), to_integer);
    const __m256d whole = _mm256_sub_pd(shifted, to_integer);
    __m256d r = _mm256_fnmadd_pd(whole, _mm256_set1_pd(exp_ln2_high), x);
    r = _mm256_fnmadd_pd(whole, _mm256_set1_pd(exp_ln2_low), r);
    __m256d p = _mm256_set1_pd(exp_terms[0]);
    for (std::size_t k = 1; k < std::size(exp_terms); ++k)
        p = _mm256_fmadd_pd(p, r, _mm256_set1_pd(exp_terms[k]));
    p = _mm256_add_pd(_mm256_fmadd_pd(p, _mm256_mul_pd(r, r), r), _mm256_set1_pd(1.0));
    const __m256i power = _mm256_add_epi64(_mm256_slli_epi64(_mm256_castpd_si256(shifted), 52),
                                           _mm256_castpd_si256(_mm256_set1_pd(1.0)));
    // The product is exact, so the sum has the same bits with or without fused operations.
    return _mm256_castpd_si256(_mm256_add_pd(_mm256_mul_pd(p, _mm256_castsi256_pd(power)), magic));
}

}  // namespace

ASSAY_AVX2 std::int64_t exp_units_avx2(const double* x, std::size_t count, double shift,
                                       double magic) {
    const __m256d minus = _mm256_set1_pd(shift), add = _mm256_set1_pd(magic);
    __m256i low = _mm256_setzero_si256(), high = low;
    for (std::size_t i = 0; i < count; i += log_odds_lanes) {
        low = _mm256_add_epi64(low, exp_bits4(_mm256_loadu_pd(x + i), minus, add));
        high = _mm256_add_epi64(high, exp_bits4(_mm256_loadu_pd(x + i + 4), minus, add));
    }
    std::array<std::uint64_t, 4> lane{};
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(lane.data()), _mm256_add_epi64(low, high));
    // Subtracts the bits of `magic` once for each number, modulo 2^64.
    const std::uint64_t sum = lane[0] + lane[1] + lane[2] + lane[3];
    return static_cast<std::int64_t>(sum - count * std::bit_cast<std::uint64_t>(magic));
}

}  // namespace assay::detail

#else

#include "core/log_odds_kernel.h"

namespace assay::detail {

double max_of_avx2(const double*, std::size_t) {
    return 0;
}
std::int64_t exp_units_avx2(const double*, std::size_t, double, double) {
    return 0;
}

}  // namespace assay::detail

#endif
