// Colors as three floats in [0, 1]. They are sRGB values, as in the file, because the images are
// illustrations.
#pragma once

#include <cstdint>

#include "demo/world/maths.h"

namespace assay::world {

struct Colour {
    float r = 0, g = 0, b = 0;
};
inline Colour operator+(Colour a, Colour b) {
    return {a.r + b.r, a.g + b.g, a.b + b.b};
}
inline Colour operator*(float s, Colour a) {
    return {s * a.r, s * a.g, s * a.b};
}
inline Colour mix(Colour a, Colour b, float t) {
    return {mix(a.r, b.r, t), mix(a.g, b.g, t), mix(a.b, b.b, t)};
}
inline Colour clamp01(Colour a) {
    return {clamp01(a.r), clamp01(a.g), clamp01(a.b)};
}
inline float luminance(Colour a) {
    return 0.299F * a.r + 0.587F * a.g + 0.114F * a.b;
}
constexpr Colour rgb(std::uint32_t hex) {
    return {static_cast<float>(hex >> 16 & 255) / 255, static_cast<float>(hex >> 8 & 255) / 255,
            static_cast<float>(hex & 255) / 255};
}

/// Rotates the hue by `turns` around the gray axis, and scales saturation and value.
Colour turned(Colour c, float turns, float saturation, float value);

/// The colors of an object. Its texture draws `second` and `third` on `base`.
struct Palette {
    Colour base, second, third;
};

}  // namespace assay::world
