// The AVX2 form of keys_of_logits_plain(). Call it only if cpu_has_avx2().
#include "store/order_keys.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define ASSAY_AVX2 __attribute__((target("avx2,fma")))

namespace assay::store {

ASSAY_AVX2 void keys_of_logits_avx2(const float* x, std::size_t count, double largest, double half,
                                    double* out) {
    const __m256d first = _mm256_set1_pd(largest), second = _mm256_set1_pd(half);
    std::size_t t = 0;
    for (; t + 4 <= count; t += 4) {
        const __m256d wide = _mm256_cvtps_pd(_mm_loadu_ps(x + t));
        _mm256_storeu_pd(out + t, _mm256_sub_pd(_mm256_sub_pd(wide, first), second));
    }
    for (; t < count; ++t) out[t] = (static_cast<double>(x[t]) - largest) - half;
}

}  // namespace assay::store

#else

namespace assay::store {

void keys_of_logits_avx2(const float*, std::size_t, double, double, double*) {}

}  // namespace assay::store

#endif
