// Implements snow, frost and fog.
#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "core/refuse.h"
#include "robustness/planes.h"
#include "robustness/plasma.h"
#include "robustness/work.h"

namespace assay::robustness {
namespace {

/// The published fractals have the side of the image, rounded up to a power of two (256 for 224).
unsigned plasma_side(const Image& image) {
    return std::bit_ceil(static_cast<unsigned>(std::max({image.width, image.height, 2})));
}

/// Returns image * a + overlay(x, y, channel) * b, in levels.
template <typename F>
void overlay(const Work& work, double a, double b, Image& out, F&& levels) {
    const auto keep = static_cast<float>(a), add = static_cast<float>(b);
    std::size_t i = 0;
    for (int y = 0; y < work.image.height; ++y) {
        for (int x = 0; x < work.image.width; ++x, i += 4) {
            for (std::size_t c = 0; c < 3; ++c) {
                out.pixels[i + c] = cut(keep * work.image.pixels[i + c] + add * levels(x, y, c));
            }
            out.pixels[i + 3] = 255;
        }
    }
}

constexpr Levels frost_image = {{{1, .8, .7, .65, .6}, {1, .9, .8, .75, .7}, {1, 1, .9, .85, .75}}};
constexpr Levels frost_overlay = {
    {{.4, .6, .7, .7, .75}, {.3, .4, .45, .5, .55}, {.2, .3, .4, .4, .45}}};
/// scale of the photographs' sides
constexpr std::array<double, corruption_profiles> frost_scale = {1, .3, .2};

/// The left pixel of the two pixels of a bilinear value, and the weight of the second pixel.
struct Between {
    int low, high;
    float part;
};
Between between(int at, double scale, int size) {
    const double place = std::clamp((at + .5) / scale - .5, 0.0, size - 1.0);
    const int low = static_cast<int>(place);
    return {low, std::min(low + 1, size - 1), static_cast<float>(place - low)};
}

}  // namespace

void snow(const Work& work, Image& out) {
    struct Snow {
        double mean, deviation, zoom, threshold;
        int radius;
        double sigma, blend;
    };
    constexpr ByProfile<Snow> levels = {{{{{.1, .3, 3, .5, 10, 4, .8},
                                           {.2, .3, 2, .5, 12, 4, .7},
                                           {.55, .3, 4, .9, 12, 8, .7},
                                           {.55, .3, 4.5, .85, 12, 8, .65},
                                           {.55, .3, 2.5, .85, 12, 12, .55}}},
                                         {{{.1, .2, 1, .6, 8, 3, .8},
                                           {.1, .2, 1, .5, 10, 4, .8},
                                           {.15, .3, 1.75, .55, 10, 4, .7},
                                           {.25, .3, 2.25, .6, 12, 6, .65},
                                           {.3, .3, 1.25, .65, 14, 12, .6}}},
                                         {{{.1, .2, 1, .6, 8, 3, .95},
                                           {.1, .2, 1, .5, 10, 4, .9},
                                           {.15, .3, 1.75, .55, 10, 4, .9},
                                           {.25, .3, 2.25, .6, 12, 6, .85},
                                           {.3, .3, 1.25, .65, 14, 12, .8}}}}};
    const Snow& s = work.of(levels);
    const int width = work.image.width, height = work.image.height;
    Planes flakes(width, height, 1), layer(width, height, 1);
    work.draws.fill_normal(flakes.values);
    for (float& v : flakes.values)
        v = static_cast<float>(s.mean) + static_cast<float>(s.deviation) * v;
    add_zoomed(flakes, s.zoom, layer);
    for (float& v : layer.values) v = v < s.threshold ? 0.0F : cut(255 * v);
    layer = line_blur(layer, s.radius, s.sigma, -135 + 90 * work.draws.uniform());
    for (float& v : layer.values) v = std::nearbyint(v);
    const auto blend = static_cast<float>(s.blend);
    const std::size_t n = work.pixels();
    for (std::size_t p = 0; p < n; ++p) {
        const std::uint8_t* in = work.image.pixels.data() + 4 * p;
        const float grey = .299F * in[0] + .587F * in[1] + .114F * in[2];
        const float white = 1.5F * grey + 127.5F;
        const float snowed = layer.values[p] + layer.values[n - 1 - p];
        for (std::size_t c = 0; c < 3; ++c) {
            const float v = in[c];
            out.pixels[4 * p + c] = cut(blend * v + (1 - blend) * std::max(v, white) + snowed);
        }
        out.pixels[4 * p + 3] = 255;
    }
}

void frost(const Work& work, Image& out) {
    const auto& photographs = work.frost->images;
    const Image& photograph = photographs[work.draws.below(photographs.size())];
    const int dx = scaled_frost(photograph.width, work.profile) - work.image.width;
    const int dy = scaled_frost(photograph.height, work.profile) - work.image.height;
    const auto left = static_cast<int>(work.draws.below(static_cast<std::uint64_t>(dx) + 1));
    const auto top = static_cast<int>(work.draws.below(static_cast<std::uint64_t>(dy) + 1));
    const double scale = frost_scale[static_cast<std::size_t>(work.profile)];
    const auto pixel = [&](int x, int y, std::size_t c) {
        const auto at =
            static_cast<std::size_t>(y) * photograph.width + static_cast<std::size_t>(x);
        return static_cast<float>(photograph.pixels[4 * at + c]);
    };
    if (scale == 1) {
        overlay(work, work.of(frost_image), work.of(frost_overlay), out,
                [&](int x, int y, std::size_t c) { return pixel(left + x, top + y, c); });
        return;
    }
    // A bilinear value, rounded to whole levels as in OpenCV's resize() of the photograph.
    overlay(work, work.of(frost_image), work.of(frost_overlay), out,
            [&](int x, int y, std::size_t c) {
                const Between across = between(left + x, scale, photograph.width);
                const Between down = between(top + y, scale, photograph.height);
                const auto row = [&](int at) {
                    const float low = pixel(across.low, at, c);
                    return low + (pixel(across.high, at, c) - low) * across.part;
                };
                const float upper = row(down.low);
                return std::nearbyint(upper + (row(down.high) - upper) * down.part);
            });
}

int scaled_frost(int side, CorruptionProfile profile) {
    return static_cast<int>(std::nearbyint(side * frost_scale[static_cast<std::size_t>(profile)]));
}

// Crystals instead of photographs: the ridges of two fractals. Fine ridges are near coarse ridges,
// and all are thicker towards the edges of the window. The color is a bright blue-gray, like the
// average of the published photographs.
void frost_synthetic(const Work& work, Image& out) {
    const auto side = plasma_side(work.image);
    const auto coarse = plasma(static_cast<int>(side), 1.6, work.draws);
    const auto fine = plasma(static_cast<int>(side), 1.25, work.draws);
    const float width = static_cast<float>(work.image.width),
                height = static_cast<float>(work.image.height);
    constexpr std::array<float, 3> tint = {.86F, .94F, 1.0F};
    overlay(
        work, work.of(frost_image), work.of(frost_overlay), out, [&](int x, int y, std::size_t c) {
            const std::size_t at = static_cast<std::size_t>(y) * side + static_cast<std::size_t>(x);
            const float ridge = 1 - std::abs(2 * coarse[at] - 1);
            const float needle = 1 - 4 * std::abs(fine[at] - .5F);
            const float dx = 2 * static_cast<float>(x) / width - 1,
                        dy = 2 * static_cast<float>(y) / height - 1;
            const float edge = .55F + .45F * std::min(1.0F, dx * dx + dy * dy);
            const float ice =
                edge * (.35F + .45F * ridge * ridge + .45F * ridge * std::max(needle, 0.0F));
            return 255 * tint[c] * std::min(ice, 1.0F);
        });
}

void fog(const Work& work, Image& out) {
    constexpr Levels amount = {{{1.5, 2, 2.5, 2.5, 3}, {.4, .7, 1, 1.5, 2}, {.2, .5, .75, 1, 1.5}}};
    constexpr Levels decay = {{{2, 2, 1.7, 1.5, 1.4}, {3, 3, 2.5, 2, 1.75}, {3, 3, 2.5, 2, 1.75}}};
    const auto side = plasma_side(work.image);
    const auto map = plasma(static_cast<int>(side), work.of(decay), work.draws);
    std::uint8_t most = 0;
    for (std::size_t i = 0; i < work.image.pixels.size(); i += 4)
        most = std::max(
            {most, work.image.pixels[i], work.image.pixels[i + 1], work.image.pixels[i + 2]});
    const double brightest = most / 255.0;
    const double keep = brightest / (brightest + work.of(amount));
    overlay(work, keep, keep * work.of(amount) * 255, out, [&](int x, int y, std::size_t) {
        return map[static_cast<std::size_t>(y) * side + static_cast<std::size_t>(x)];
    });
}

}  // namespace assay::robustness
