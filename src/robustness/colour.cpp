// Implements changes of single pixels: brightness, saturation, contrast.
#include <array>
#include <cmath>

#include "robustness/work.h"

namespace assay::robustness {
namespace {

struct Hsv {
    double h, s, v;  ///< each in [0, 1]
};

Hsv to_hsv(const std::uint8_t* p) {
    const double r = p[0] / 255.0, g = p[1] / 255.0, b = p[2] / 255.0;
    const double most = std::max({r, g, b}), delta = most - std::min({r, g, b});
    if (delta == 0) return {0, 0, most};
    double h = 0;
    if (b == most) {
        h = 4 + (r - g) / delta;
    } else if (g == most) {
        h = 2 + (b - r) / delta;
    } else {
        h = (g - b) / delta;
    }
    h /= 6;
    return {h < 0 ? h + 1 : h, delta / most, most};
}

/// Published results are truncated in double precision, without slack.
std::uint8_t cut_exactly(double value) {
    return static_cast<std::uint8_t>(std::clamp(value, 0.0, 1.0) * 255);
}

void put_hsv(const Hsv& colour, std::uint8_t* p) {
    const double sixth = std::floor(colour.h * 6);
    const double f = colour.h * 6 - sixth;
    const double low = colour.v * (1 - colour.s);
    const double falling = colour.v * (1 - f * colour.s);
    const double rising = colour.v * (1 - (1 - f) * colour.s);
    const std::array<std::array<double, 3>, 6> by_sixth = {{{colour.v, rising, low},
                                                            {falling, colour.v, low},
                                                            {low, colour.v, rising},
                                                            {low, falling, colour.v},
                                                            {rising, low, colour.v},
                                                            {colour.v, low, falling}}};
    const auto& rgb = by_sixth[static_cast<std::size_t>(sixth) % 6];
    for (std::size_t c = 0; c < 3; ++c) p[c] = cut_exactly(rgb[c]);
    p[3] = 255;
}

template <typename F>
void each_hsv(const Work& work, Image& out, F&& change) {
    for (std::size_t i = 0; i < out.pixels.size(); i += 4) {
        Hsv colour = to_hsv(work.image.pixels.data() + i);
        change(colour);
        put_hsv(colour, out.pixels.data() + i);
    }
}

}  // namespace

void brightness(const Work& work, Image& out) {
    constexpr Levels added = {{{.1, .2, .3, .4, .5}, {.1, .2, .3, .4, .5}, {.05, .1, .15, .2, .3}}};
    const double c = work.of(added);
    each_hsv(work, out, [c](Hsv& colour) { colour.v = std::min(colour.v + c, 1.0); });
}

void saturate(const Work& work, Image& out) {
    constexpr Levels factor = {{{.3, .1, 2, 5, 20}, {.3, .1, 2, 5, 30}, {.3, .1, 1.5, 2, 2.5}}};
    constexpr Levels added = {{{0, 0, 0, .1, .2}, {0, 0, 0, .1, .2}, {0, 0, 0, .1, .2}}};
    const double a = work.of(factor), b = work.of(added);
    each_hsv(work, out, [a, b](Hsv& colour) { colour.s = std::clamp(colour.s * a + b, 0.0, 1.0); });
}

void contrast(const Work& work, Image& out) {
    constexpr Levels kept = {
        {{.4, .3, .2, .1, .05}, {.4, .3, .2, .1, .05}, {.75, .5, .4, .3, .15}}};
    const double c = work.of(kept);
    std::array<std::uint64_t, 3> sums{};
    const auto& in = work.image.pixels;
    for (std::size_t i = 0; i < in.size(); i += 4) {
        for (std::size_t k = 0; k < 3; ++k) sums[k] += in[i + k];
    }
    std::array<std::array<std::uint8_t, 256>, 3> table{};
    for (std::size_t k = 0; k < 3; ++k) {
        const double mean =
            static_cast<double>(sums[k]) / (255.0 * static_cast<double>(work.pixels()));
        for (std::size_t v = 0; v < 256; ++v)
            table[k][v] = cut_exactly((static_cast<double>(v) / 255 - mean) * c + mean);
    }
    for (std::size_t i = 0; i < in.size(); i += 4) {
        for (std::size_t k = 0; k < 3; ++k) out.pixels[i + k] = table[k][in[i + k]];
        out.pixels[i + 3] = 255;
    }
}

}  // namespace assay::robustness
