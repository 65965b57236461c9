// Small mathematical functions for images. The same seed must give the same bytes on every machine.
// So only square roots use the system's mathematics library, because they are exact by IEEE 754.
// (Difficulties and selection rates are drawn with pow and erfc in double precision. Libraries that
// round their last bit differently would hardly ever change a pixel.)
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace assay::world {

struct Vec2 {
    float x = 0, y = 0;
};
inline Vec2 operator+(Vec2 a, Vec2 b) {
    return {a.x + b.x, a.y + b.y};
}
inline Vec2 operator-(Vec2 a, Vec2 b) {
    return {a.x - b.x, a.y - b.y};
}
inline Vec2 operator*(float s, Vec2 a) {
    return {s * a.x, s * a.y};
}
inline float length(Vec2 a) {
    return std::sqrt(a.x * a.x + a.y * a.y);
}

inline constexpr float pi = 3.14159265F;

inline int floor_int(float x) {
    const int i = static_cast<int>(x);
    return i - (x < static_cast<float>(i) ? 1 : 0);
}
/// Halves are rounded up, also below zero.
inline int to_nearest(float x) {
    constexpr float half = 0.5F;
    return floor_int(x + half);
}
inline float fraction(float x) {
    return x - static_cast<float>(floor_int(x));
}
inline float mix(float a, float b, float t) {
    return a + (b - a) * t;
}
inline float clamp01(float x) {
    return std::min(std::max(x, 0.0F), 1.0F);
}
/// Returns 0 below a, 1 above b, and smooth values between. For a > b the function falls.
inline float ramp(float a, float b, float x) {
    const float t = clamp01((x - a) / (b - a));
    return t * t * (3 - 2 * t);
}

/// Returns sin(2 pi t), for t in turns and not in radians. The error is below 1e-5.
inline float sin_turns(float t) {
    t = fraction(t) - 0.5F;  // sin(2 pi (t + 1/2)) = -sin(2 pi t), t in [-1/2, 1/2)
    if (t > 0.25F) t = 0.5F - t;
    if (t < -0.25F) t = -0.5F - t;
    const float x = 2 * pi * t, s = x * x;
    return -x * (1 - s / 6 * (1 - s / 20 * (1 - s / 42 * (1 - s / 72))));
}
inline float cos_turns(float t) {
    return sin_turns(t + 0.25F);
}
/// The angle of a point in turns, in [0, 1), anticlockwise with y up. The error is below 2e-4.
inline float turn_of(float y, float x) {
    const float ax = std::fabs(x), ay = std::fabs(y);
    const float high = std::max(ax, ay), low = std::min(ax, ay);
    if (high == 0) return 0;
    const float r = low / high, s = r * r;
    float a = ((-0.0464964749F * s + 0.15931422F) * s - 0.327622764F) * s * r + r;
    a /= 2 * pi;
    if (ay > ax) a = 0.25F - a;
    if (x < 0) a = 0.5F - a;
    if (y < 0) a = 1 - a;
    return a >= 1 ? a - 1 : a;
}

/// The 32 random bits of a lattice point.
inline std::uint32_t hash_cell(int x, int y, std::uint32_t seed) {
    std::uint32_t h = static_cast<std::uint32_t>(x) * 0x8da6b343U ^
                      static_cast<std::uint32_t>(y) * 0xd8163841U ^ seed * 0xcb1ab31fU;
    h ^= h >> 15;
    h *= 0x2c1b3c6dU;
    h ^= h >> 12;
    h *= 0x297a2d39U;
    h ^= h >> 15;
    return h;
}
/// A uniform number in [0, 1).
inline float hash_unit(int x, int y, std::uint32_t seed) {
    return static_cast<float>(hash_cell(x, y, seed) >> 8) * 0x1.0p-24F;
}

/// Value noise in [0, 1], smooth, with cells of side 1.
inline float noise(float x, float y, std::uint32_t seed) {
    const int ix = floor_int(x), iy = floor_int(y);
    float fx = x - static_cast<float>(ix), fy = y - static_cast<float>(iy);
    fx = fx * fx * (3 - 2 * fx);
    fy = fy * fy * (3 - 2 * fy);
    const float top = mix(hash_unit(ix, iy, seed), hash_unit(ix + 1, iy, seed), fx);
    const float bottom = mix(hash_unit(ix, iy + 1, seed), hash_unit(ix + 1, iy + 1, seed), fx);
    return mix(top, bottom, fy);
}
/// The sum of two or three octaves of value noise, in [0, 1].
inline float noise2(float x, float y, std::uint32_t seed) {
    return (2 * noise(x, y, seed) + noise(2.03F * x + 7, 2.03F * y + 3, seed + 1)) / 3;
}
inline float noise3(float x, float y, std::uint32_t seed) {
    return (4 * noise(x, y, seed) + 2 * noise(2.03F * x + 7, 2.03F * y + 3, seed + 1) +
            noise(4.1F * x + 1, 4.1F * y + 9, seed + 2)) /
           7;
}

}  // namespace assay::world
