#include "core/half.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

namespace assay {
namespace {

/// The value of a half-precision number, from the definition, in double.
double meaning(std::uint16_t half) {
    const int exponent = (half >> 10) & 31;
    const int mantissa = half & 1023;
    const double sign = (half & 0x8000) != 0 ? -1 : 1;
    if (exponent == 31) return mantissa != 0 ? std::nan("") : sign * HUGE_VAL;
    if (exponent == 0) return sign * std::ldexp(mantissa, -24);
    return sign * std::ldexp(1024 + mantissa, exponent - 25);
}

/// The nearest half-precision number, by bisection over the 31745 non-negative ones. A tie gives
/// the even number.
std::uint16_t slow_half(float value) {
    const double magnitude = std::fabs(static_cast<double>(value));
    const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
    // When rounding, infinity takes the place of the next number: 65536.
    const auto at = [](std::uint16_t h) { return h == 0x7c00 ? 65536.0 : meaning(h); };
    std::uint16_t low = 0;
    std::uint16_t high = 0x7c00;
    if (magnitude >= at(high)) return static_cast<std::uint16_t>(sign | high);
    while (high - low > 1) {
        const auto middle = static_cast<std::uint16_t>((low + high) / 2);
        (at(middle) <= magnitude ? low : high) = middle;
    }
    const double below = magnitude - at(low);
    const double above = at(high) - magnitude;
    const bool up = above < below || (above == below && low % 2 == 1);
    return static_cast<std::uint16_t>(sign | (up ? high : low));
}

/// All half-precision numbers, all midpoints between neighbours, and the floats on both sides of
/// each.
std::vector<float> interesting() {
    std::vector<float> values;
    for (std::uint32_t h = 0; h < 0x7c00; ++h) {
        const double here = meaning(static_cast<std::uint16_t>(h));
        const double next = h == 0x7bff ? 65536.0 : meaning(static_cast<std::uint16_t>(h + 1));
        const auto middle = static_cast<float>((here + next) / 2);
        for (const float v : {static_cast<float>(here), middle, std::nextafter(middle, 0.0F),
                              std::nextafter(middle, 1e9F)}) {
            values.push_back(v);
            values.push_back(-v);
        }
    }
    for (const float v :
         {0x1p-25F, 0x1p-26F, 1e-45F, 1e-38F, 65519.996F, 65520.0F, 1e30F, HUGE_VALF}) {
        values.push_back(v);
        values.push_back(-v);
    }
    return values;
}

TEST(Half, EveryHalfBecomesTheRightFloat) {
    for (std::uint32_t h = 0; h <= 0xffff; ++h) {
        const auto half = static_cast<std::uint16_t>(h);
        const double expected = meaning(half);
        const float got = float_from_half(half);
        if (std::isnan(expected)) {
            EXPECT_TRUE(std::isnan(got)) << h;
        } else {
            EXPECT_EQ(static_cast<double>(got), expected) << h;
            EXPECT_EQ(std::signbit(got), (h & 0x8000) != 0) << h;
            EXPECT_EQ(half_from_float(got), half) << h;
        }
    }
}

TEST(Half, RoundingIsToNearestTiesToEven) {
    for (const float value : interesting())
        ASSERT_EQ(half_from_float(value), slow_half(value)) << std::hexfloat << value;
    for (std::uint64_t i = 0; i < 2'000'000;
         ++i) {  // floats of all magnitudes, by a multiplicative step
        const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(i * 2654435761U));
        if (std::isnan(value)) continue;
        ASSERT_EQ(half_from_float(value), slow_half(value)) << std::hexfloat << value;
    }
}

TEST(Half, ArraysGiveTheBitsOfTheScalars) {
    std::vector<float> values = interesting();
    for (std::uint32_t i = 0; i < 3'000'000; ++i)
        values.push_back(std::bit_cast<float>(i * 2654435761U));  // NaNs occur
    values.resize(values.size() / 8 * 8 + 5);                     // a length with a remainder
    std::vector<std::uint16_t> halves(values.size());
    halves_from_floats(values, halves);
    for (std::size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(halves[i], half_from_float(values[i])) << std::bit_cast<std::uint32_t>(values[i]);
    }
    std::vector<std::uint16_t> all(65536 + 3);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
    std::vector<float> back(all.size());
    floats_from_halves(all, back);
    for (std::size_t i = 0; i < all.size(); ++i) {
        ASSERT_EQ(std::bit_cast<std::uint32_t>(back[i]),
                  std::bit_cast<std::uint32_t>(float_from_half(all[i])))
            << i;
    }
}

TEST(Half, EmptyArrays) {
    halves_from_floats({}, {});
    floats_from_halves({}, {});
}

}  // namespace
}  // namespace assay
