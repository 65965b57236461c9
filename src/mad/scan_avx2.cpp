// The AVX2 form of scan.cpp's kernel. Call it only if cpu_has_avx2().
#if defined(__x86_64__)

#include <immintrin.h>

#include "mad/scan_kernel.h"

namespace assay::mad::detail {
namespace {

#define ASSAY_SCAN_AVX2 __attribute__((target("avx2")))

ASSAY_SCAN_AVX2 inline __m256i equal16(const std::uint16_t* a, const std::uint16_t* b) {
    return _mm256_cmpeq_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(a)),
                              _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b)));
}

ASSAY_SCAN_AVX2 std::uint32_t equal32(const std::uint16_t* a, const std::uint16_t* b) {
    // Packing works on halves of registers, and the permutation restores the order.
    const __m256i bytes = _mm256_permute4x64_epi64(
        _mm256_packs_epi16(equal16(a, b), equal16(a + 16, b + 16)), _MM_SHUFFLE(3, 1, 2, 0));
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(bytes));
}

}  // namespace

ASSAY_SCAN_AVX2 std::uint64_t different_avx2(const std::uint16_t* a, const std::uint16_t* b) {
    return ~(std::uint64_t{equal32(a + 32, b + 32)} << 32 | equal32(a, b));
}

ASSAY_SCAN_AVX2 std::uint64_t confident_avx2(const std::uint8_t* confidences,
                                             std::uint8_t threshold) {
    const __m256i least = _mm256_set1_epi8(static_cast<char>(threshold));
    std::uint64_t bits = 0;
    for (int half = 0; half < 2; ++half) {
        const __m256i c =
            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(confidences + 32 * half));
        const auto mask = static_cast<std::uint32_t>(
            _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_max_epu8(c, least), c)));
        bits |= std::uint64_t{mask} << (32 * half);
    }
    return bits;
}

}  // namespace assay::mad::detail

#else

#include "mad/scan_kernel.h"

namespace assay::mad::detail {

std::uint64_t different_avx2(const std::uint16_t*, const std::uint16_t*) {
    return 0;
}
std::uint64_t confident_avx2(const std::uint8_t*, std::uint8_t) {
    return 0;
}

}  // namespace assay::mad::detail

#endif
