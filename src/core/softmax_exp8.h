// exp of eight floats: the AVX2 form of exp_f32, shared by the kernels that need it. Call it only
// if cpu_has_avx2().
#pragma once

#include <immintrin.h>

#include "core/softmax_kernel.h"

namespace assay::detail {

__attribute__((target("avx2,fma"))) inline __m256 exp8(__m256 x) {
    x = _mm256_min_ps(_mm256_max_ps(x, _mm256_set1_ps(exp_lowest)), _mm256_set1_ps(exp_highest));
    const __m256 magic = _mm256_set1_ps(round_to_integer);
    const __m256 whole = _mm256_sub_ps(_mm256_fmadd_ps(x, _mm256_set1_ps(log2_e), magic), magic);
    __m256 r = _mm256_fnmadd_ps(whole, _mm256_set1_ps(ln2_high), x);
    r = _mm256_fnmadd_ps(whole, _mm256_set1_ps(ln2_low), r);
    __m256 p = _mm256_fmadd_ps(_mm256_set1_ps(c7), r, _mm256_set1_ps(c6));
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(c5));
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(c4));
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(c3));
    p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(c2));
    p = _mm256_add_ps(_mm256_fmadd_ps(p, _mm256_mul_ps(r, r), r), _mm256_set1_ps(1.0F));
    const __m256i n = _mm256_cvttps_epi32(whole), half = _mm256_srai_epi32(n, 1),
                  bias = _mm256_set1_epi32(127);
    const __m256i one = _mm256_slli_epi32(_mm256_add_epi32(half, bias), 23);
    const __m256i two = _mm256_slli_epi32(_mm256_add_epi32(_mm256_sub_epi32(n, half), bias), 23);
    return _mm256_mul_ps(_mm256_mul_ps(p, _mm256_castsi256_ps(one)), _mm256_castsi256_ps(two));
}

}  // namespace assay::detail
