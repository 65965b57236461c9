// The same sums with AVX2. A 23-bit weight does not fit the 16-bit multiply-add, so it has two
// parts (PairedAxis). One multiply-add of two taps uses the low parts, and one the high parts. The
// results are joined at the end.
#include "image/resample.h"

#if defined(__x86_64__)

#include <algorithm>

#include <immintrin.h>

#define ASSAY_AVX2 __attribute__((target("avx2")))

namespace assay::pixels {
namespace {

ASSAY_AVX2 inline __m256i load_two_rows(const std::uint8_t* a, const std::uint8_t* b) {
    const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(a));
    const __m128i high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(b));
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

/// Rounds sums of eight channels, as 32-bit numbers before clipping.
ASSAY_AVX2 inline __m256i finish(__m256i low, __m256i high) {
    const __m256i half = _mm256_set1_epi32(1 << (weight_bits - 1));
    const __m256i sum = _mm256_add_epi32(_mm256_add_epi32(low, half), _mm256_slli_epi32(high, 15));
    return _mm256_srai_epi32(sum, weight_bits);
}

struct Sums {
    __m256i low;
    __m256i high;
};

/// Adds two taps: `bytes` interleaves the bytes of one tap and the next, as 16-bit numbers.
ASSAY_AVX2 inline void add_pair(Sums& sums, __m256i bytes, __m256i low, __m256i high) {
    sums.low = _mm256_add_epi32(sums.low, _mm256_madd_epi16(bytes, low));
    sums.high = _mm256_add_epi32(sums.high, _mm256_madd_epi16(bytes, high));
}

/// One output of four rows, clipped to 16 bits: rows 0 and 2 in the lower half, 1 and 3 in the
/// upper.
ASSAY_AVX2 inline __m256i blend_output(const std::uint8_t* const in[4], std::size_t at,
                                       const std::int32_t* weights, int groups) {
    // Makes R0 R1 G0 G1 B0 B1 X0 X1 as 16-bit numbers, from R0 G0 B0 X0 R1 G1 B1 X1 R2 and so on.
    // Then the same for pixels 2 and 3.
    const __m256i pick01 = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, -1, 4, -1, 1, -1, 5, -1, 2, -1, 6, -1, 3, -1, 7, -1));
    const __m256i pick23 = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(8, -1, 12, -1, 9, -1, 13, -1, 10, -1, 14, -1, 11, -1, 15, -1));
    Sums rows01 = {_mm256_setzero_si256(), _mm256_setzero_si256()};
    Sums rows23 = rows01;
    for (int g = 0; g < groups; ++g, at += 16, weights += 4) {
        const __m256i low01 = _mm256_set1_epi32(weights[0]);
        const __m256i low23 = _mm256_set1_epi32(weights[1]);
        const __m256i high01 = _mm256_set1_epi32(weights[2]);
        const __m256i high23 = _mm256_set1_epi32(weights[3]);
        const __m256i a = load_two_rows(in[0] + at, in[1] + at);
        add_pair(rows01, _mm256_shuffle_epi8(a, pick01), low01, high01);
        add_pair(rows01, _mm256_shuffle_epi8(a, pick23), low23, high23);
        const __m256i b = load_two_rows(in[2] + at, in[3] + at);
        add_pair(rows23, _mm256_shuffle_epi8(b, pick01), low01, high01);
        add_pair(rows23, _mm256_shuffle_epi8(b, pick23), low23, high23);
    }
    return _mm256_packs_epi32(finish(rows01.low, rows01.high), finish(rows23.low, rows23.high));
}

/// Processes two neighbouring pixels of one row.
ASSAY_AVX2 inline void store_two(std::uint8_t* out, __m128i pixels) {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(out), pixels);
}

}  // namespace

ASSAY_AVX2 void blend_columns_avx2(const PairedAxis& axis, const std::uint8_t* const in[4],
                                   std::uint8_t* const out[4]) {
    const std::uint8_t* const from[4] = {in[0], in[1], in[2], in[3]};
    std::uint8_t* const to[4] = {out[0], out[1], out[2], out[3]};
    const __m256i opaque = _mm256_set1_epi32(static_cast<int>(0xFF000000U));
    const std::size_t outputs = axis.first.size();
    const int groups = axis.groups;
    const int* first = axis.first.data();
    const std::int32_t* weights = axis.weights.data();
    const std::size_t step = 4 * static_cast<std::size_t>(groups);
    for (std::size_t x = 0; x < outputs; x += 2) {
        // An odd last output is computed together with the one before it, which is repeated.
        const std::size_t left = std::min(x, outputs - 2);
        const std::size_t right = left + 1;
        const __m256i a = blend_output(from, 4 * static_cast<std::size_t>(first[left]),
                                       weights + left * step, groups);
        const __m256i b = blend_output(from, 4 * static_cast<std::size_t>(first[right]),
                                       weights + right * step, groups);
        // Saturation to bytes completes the clipping. Then the pixels of a row are placed side by
        // side.
        __m256i bytes = _mm256_or_si256(_mm256_packus_epi16(a, b), opaque);
        bytes = _mm256_shuffle_epi32(bytes, _MM_SHUFFLE(3, 1, 2, 0));
        const __m128i even = _mm256_castsi256_si128(bytes);
        const __m128i odd = _mm256_extracti128_si256(bytes, 1);
        store_two(to[0] + 4 * left, even);
        store_two(to[1] + 4 * left, odd);
        store_two(to[2] + 4 * left, _mm_unpackhi_epi64(even, even));
        store_two(to[3] + 4 * left, _mm_unpackhi_epi64(odd, odd));
    }
}

ASSAY_AVX2 void blend_rows_avx2(const std::uint8_t* const* rows, const std::int32_t* pairs,
                                int count, int width, std::uint8_t* out) {
    const __m256i zero = _mm256_setzero_si256();
    const __m256i opaque = _mm256_set1_epi32(static_cast<int>(0xFF000000U));
    const auto end = static_cast<std::size_t>(width);
    for (std::size_t block = 0; block < end; block += 8) {
        const std::size_t at =
            4 * std::min(block, end - 8);  // the last block may overlap the one before it
        // This is no array, because an array would be set up in memory.
        Sums px01 = {zero, zero}, px23 = px01, px45 = px01, px67 = px01;
        for (int t = 0; t < count; t += 2) {
            const __m256i low = _mm256_set1_epi32(pairs[t]);
            const __m256i high = _mm256_set1_epi32(pairs[t + 1]);
            const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rows[t] + at));
            const __m256i b =
                _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rows[t + 1] + at));
            const __m256i front = _mm256_unpacklo_epi8(a, b);
            const __m256i back = _mm256_unpackhi_epi8(a, b);
            add_pair(px01, _mm256_unpacklo_epi8(front, zero), low, high);
            add_pair(px23, _mm256_unpackhi_epi8(front, zero), low, high);
            add_pair(px45, _mm256_unpacklo_epi8(back, zero), low, high);
            add_pair(px67, _mm256_unpackhi_epi8(back, zero), low, high);
        }
        const __m256i front =
            _mm256_packs_epi32(finish(px01.low, px01.high), finish(px23.low, px23.high));
        const __m256i back =
            _mm256_packs_epi32(finish(px45.low, px45.high), finish(px67.low, px67.high));
        const __m256i bytes = _mm256_or_si256(_mm256_packus_epi16(front, back), opaque);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + at), bytes);
    }
}

}  // namespace assay::pixels

#else

namespace assay::pixels {

void blend_columns_avx2(const PairedAxis&, const std::uint8_t* const[4], std::uint8_t* const[4]) {}
void blend_rows_avx2(const std::uint8_t* const*, const std::int32_t*, int, int, std::uint8_t*) {}

}  // namespace assay::pixels

#endif
