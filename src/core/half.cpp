#include "core/half.h"

#include <bit>
#include <cstddef>

#include "assay/error.h"
#include "core/cpu.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace assay {

std::uint16_t half_from_float(float value) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = (bits >> 16) & 0x8000U;
    const std::uint32_t magnitude = bits & 0x7fffffffU;
    std::uint32_t half = 0;
    if (magnitude > 0x7f800000U) {  // NaN: sets the quiet bit, keeps the payload's upper ten bits
        half = 0x7e00U | ((magnitude >> 13) & 0x3ffU);
    } else if (magnitude >= 0x477ff000U) {  // 65520 and more round to infinity
        half = 0x7c00U;
    } else if (magnitude >=
               0x38800000U) {  // normal: rebias the exponent from 127 to 15, round the 13 lost bits
        const std::uint32_t rebiased = magnitude - (112U << 23);
        half = (rebiased + 0xfffU + ((rebiased >> 13) & 1U)) >> 13;
    } else if (magnitude > 0x33000000U) {  // subnormal: above 2^-25, half of the smallest one
        const std::uint32_t shift = 126U - (magnitude >> 23);  // 14 .. 24
        const std::uint32_t mantissa = (magnitude & 0x7fffffU) | 0x800000U;
        const std::uint32_t lost = mantissa & ((1U << shift) - 1U);
        const std::uint32_t tie = 1U << (shift - 1U);
        half = mantissa >> shift;
        if (lost > tie || (lost == tie && (half & 1U) != 0)) ++half;
    }
    return static_cast<std::uint16_t>(sign | half);
}

float float_from_half(std::uint16_t half) {
    const std::uint32_t sign = (half & 0x8000U) << 16;
    const std::uint32_t exponent = (half >> 10) & 0x1fU;
    const std::uint32_t mantissa = half & 0x3ffU;
    std::uint32_t bits = 0;
    if (exponent == 0x1fU) {
        bits = 0x7f800000U | (mantissa << 13) | (mantissa != 0 ? 0x400000U : 0U);
    } else if (exponent != 0) {
        bits = ((exponent + 112U) << 23) | (mantissa << 13);
    } else {  // subnormal or zero: mantissa * 2^-24 is exact in single precision
        bits = std::bit_cast<std::uint32_t>(static_cast<float>(mantissa) * 0x1p-24F);
    }
    return std::bit_cast<float>(sign | bits);
}

namespace {

#if defined(__x86_64__)
__attribute__((target("avx,f16c"))) std::size_t halves_f16c(const float* in, std::uint16_t* out,
                                                            std::size_t n) {
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        const __m128i half = _mm256_cvtps_ph(_mm256_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i), half);
    }
    return i;
}

__attribute__((target("avx,f16c"))) std::size_t floats_f16c(const std::uint16_t* in, float* out,
                                                            std::size_t n) {
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        _mm256_storeu_ps(
            out + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i))));
    }
    return i;
}
#endif

void check_lengths(std::size_t in, std::size_t out) {
    if (in != out)
        throw Error(ErrorCode::internal,
                    "half-precision conversion between arrays of different lengths");
}

}  // namespace

void halves_from_floats(std::span<const float> in, std::span<std::uint16_t> out) {
    check_lengths(in.size(), out.size());
    std::size_t i = 0;
#if defined(__x86_64__)
    if (cpu_has_f16c()) i = halves_f16c(in.data(), out.data(), in.size());
#endif
    for (; i < in.size(); ++i) out[i] = half_from_float(in[i]);
}

void floats_from_halves(std::span<const std::uint16_t> in, std::span<float> out) {
    check_lengths(in.size(), out.size());
    std::size_t i = 0;
#if defined(__x86_64__)
    if (cpu_has_f16c()) i = floats_f16c(in.data(), out.data(), in.size());
#endif
    for (; i < in.size(); ++i) out[i] = float_from_half(in[i]);
}

}  // namespace assay
