// The kernels of resample_floats.h with AVX2 and FMA, in the order of the plain ones.
#include "image/resample_floats.h"

#if defined(__x86_64__)

#include <algorithm>

#include <immintrin.h>

#define ASSAY_FMA __attribute__((target("avx2,fma")))

namespace assay::pixels {
namespace {

ASSAY_FMA inline __m256 two_pixels_to_floats(__m128i bytes, __m256 scale, bool divides) {
    const __m256 numbers = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(bytes));
    return divides ? _mm256_div_ps(numbers, scale) : _mm256_mul_ps(numbers, scale);
}

}  // namespace

ASSAY_FMA void two_rows_to_floats_avx2(const std::uint8_t* one, const std::uint8_t* other,
                                       std::size_t pixels, const ByteScale& scale, float* out) {
    const __m256 by = _mm256_set1_ps(scale.divides ? 255.0F : scale.factor);
    std::size_t i = 0;
    for (; i + 4 <= pixels; i += 4, out += 32) {
        const __m128i a = _mm_loadu_si128(reinterpret_cast<const __m128i*>(one + 4 * i));
        const __m128i b = _mm_loadu_si128(reinterpret_cast<const __m128i*>(other + 4 * i));
        const __m128i front = _mm_unpacklo_epi32(a, b);
        const __m128i back = _mm_unpackhi_epi32(a, b);
        _mm256_storeu_ps(out, two_pixels_to_floats(front, by, scale.divides));
        _mm256_storeu_ps(out + 8,
                         two_pixels_to_floats(_mm_srli_si128(front, 8), by, scale.divides));
        _mm256_storeu_ps(out + 16, two_pixels_to_floats(back, by, scale.divides));
        _mm256_storeu_ps(out + 24,
                         two_pixels_to_floats(_mm_srli_si128(back, 8), by, scale.divides));
    }
    for (; i < pixels; ++i, out += 8) {
        for (std::size_t c = 0; c < 4; ++c) {
            out[c] = scale.of(one[4 * i + c]);
            out[4 + c] = scale.of(other[4 * i + c]);
        }
    }
}

ASSAY_FMA void blend_two_float_rows_avx2(const FloatAxis& axis, const float* in, float* one,
                                         float* other) {
    const std::size_t outputs = axis.first.size();
    const auto taps = static_cast<std::size_t>(axis.taps);
    const float* weights = axis.weights.data();
    for (std::size_t x = 0; x < outputs; ++x, weights += taps) {
        const float* pixel = in + 8 * static_cast<std::size_t>(axis.first[x] + float_margin);
        const int count = axis.count[x];
        const int unfused = unfused_taps(axis.antialias, count);
        __m256 sum = _mm256_mul_ps(_mm256_loadu_ps(pixel + 8 * place_of_tap(axis.antialias, 0)),
                                   _mm256_broadcast_ss(weights));
        int t = 1;
        for (; t <= unfused; ++t)
            sum = _mm256_add_ps(sum, _mm256_mul_ps(_mm256_loadu_ps(pixel + 8 * t),
                                                   _mm256_broadcast_ss(weights + t)));
        for (; t < count; ++t)
            sum = _mm256_fmadd_ps(_mm256_loadu_ps(pixel + 8 * place_of_tap(axis.antialias, t)),
                                  _mm256_broadcast_ss(weights + t), sum);
        _mm_storeu_ps(other + 4 * x, _mm256_extractf128_ps(sum, 1));
        _mm_storeu_ps(one + 4 * x, _mm256_castps256_ps128(sum));
    }
}

ASSAY_FMA void blend_float_rows_avx2(const float* const* rows, const float* weights, int count,
                                     int unfused, std::size_t numbers, float* out) {
    std::size_t i = 0;
    for (; i + 32 <= numbers; i += 32) {
        const __m256 first = _mm256_broadcast_ss(weights);
        const float* row = rows[0] + i;
        __m256 a = _mm256_mul_ps(_mm256_loadu_ps(row), first);
        __m256 b = _mm256_mul_ps(_mm256_loadu_ps(row + 8), first);
        __m256 c = _mm256_mul_ps(_mm256_loadu_ps(row + 16), first);
        __m256 d = _mm256_mul_ps(_mm256_loadu_ps(row + 24), first);
        int t = 1;
        for (; t <= unfused; ++t) {
            const __m256 weight = _mm256_broadcast_ss(weights + t);
            row = rows[t] + i;
            a = _mm256_add_ps(a, _mm256_mul_ps(_mm256_loadu_ps(row), weight));
            b = _mm256_add_ps(b, _mm256_mul_ps(_mm256_loadu_ps(row + 8), weight));
            c = _mm256_add_ps(c, _mm256_mul_ps(_mm256_loadu_ps(row + 16), weight));
            d = _mm256_add_ps(d, _mm256_mul_ps(_mm256_loadu_ps(row + 24), weight));
        }
        for (; t < count; ++t) {
            const __m256 weight = _mm256_broadcast_ss(weights + t);
            row = rows[t] + i;
            a = _mm256_fmadd_ps(_mm256_loadu_ps(row), weight, a);
            b = _mm256_fmadd_ps(_mm256_loadu_ps(row + 8), weight, b);
            c = _mm256_fmadd_ps(_mm256_loadu_ps(row + 16), weight, c);
            d = _mm256_fmadd_ps(_mm256_loadu_ps(row + 24), weight, d);
        }
        _mm256_storeu_ps(out + i, a);
        _mm256_storeu_ps(out + i + 8, b);
        _mm256_storeu_ps(out + i + 16, c);
        _mm256_storeu_ps(out + i + 24, d);
    }
    for (; i < numbers; i += 4) {
        __m128 sum = _mm_mul_ps(_mm_loadu_ps(rows[0] + i), _mm_broadcast_ss(weights));
        int t = 1;
        for (; t <= unfused; ++t)
            sum = _mm_add_ps(sum,
                             _mm_mul_ps(_mm_loadu_ps(rows[t] + i), _mm_broadcast_ss(weights + t)));
        for (; t < count; ++t)
            sum = _mm_fmadd_ps(_mm_loadu_ps(rows[t] + i), _mm_broadcast_ss(weights + t), sum);
        _mm_storeu_ps(out + i, sum);
    }
}

ASSAY_FMA void blend_corners_avx2(const FloatAxis& axis, const float* down, const float* in,
                                  float* out) {
    const __m128 upper = _mm_set1_ps(down[1]), lower = _mm_set1_ps(down[0]);
    const float* across = axis.weights.data();
    for (std::size_t x = 0; x < axis.first.size(); ++x, across += 2) {
        const float* pixel = in + 8 * static_cast<std::size_t>(axis.first[x] + float_margin);
        const __m128 left = _mm_broadcast_ss(across + 1), right = _mm_broadcast_ss(across);
        __m128 sum = _mm_mul_ps(_mm_loadu_ps(pixel + 8), _mm_mul_ps(upper, right));
        sum = _mm_fmadd_ps(_mm_loadu_ps(pixel), _mm_mul_ps(upper, left), sum);
        sum = _mm_fmadd_ps(_mm_loadu_ps(pixel + 4), _mm_mul_ps(lower, left), sum);
        sum = _mm_fmadd_ps(_mm_loadu_ps(pixel + 12), _mm_mul_ps(lower, right), sum);
        _mm_storeu_ps(out + 4 * x, sum);
    }
}

ASSAY_FMA std::size_t normalise_floats_avx2(const float* row, std::size_t pixels,
                                            const Normaliser& by, float* const planes[3]) {
    std::size_t i = 0;
    for (; i + 4 <= pixels; i += 4) {
        __m128 r = _mm_loadu_ps(row + 4 * i);
        __m128 g = _mm_loadu_ps(row + 4 * i + 4);
        __m128 b = _mm_loadu_ps(row + 4 * i + 8);
        __m128 x = _mm_loadu_ps(row + 4 * i + 12);
        _MM_TRANSPOSE4_PS(r, g, b, x);
        const __m128 channels[3] = {r, g, b};
        for (int c = 0; c < 3; ++c) {
            const __m128 moved = _mm_sub_ps(channels[c], _mm_set1_ps(by.mean[c]));
            _mm_storeu_ps(planes[c] + i, _mm_div_ps(moved, _mm_set1_ps(by.std[c])));
        }
    }
    return i;
}

}  // namespace assay::pixels

#else

namespace assay::pixels {

void two_rows_to_floats_avx2(const std::uint8_t*, const std::uint8_t*, std::size_t,
                             const ByteScale&, float*) {}
void blend_two_float_rows_avx2(const FloatAxis&, const float*, float*, float*) {}
void blend_float_rows_avx2(const float* const*, const float*, int, int, std::size_t, float*) {}
void blend_corners_avx2(const FloatAxis&, const float*, const float*, float*) {}
std::size_t normalise_floats_avx2(const float*, std::size_t, const Normaliser&, float* const[3]) {
    return 0;
}

}  // namespace assay::pixels

#endif
