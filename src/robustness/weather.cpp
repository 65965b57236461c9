// Snow, frost and fog.
#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "core/refuse.h"
#include "robustness/planes.h"
#include "robustness/plasma.h"
#include "robustness/work.h"

namespace assay::robustness {
namespace {

unsigned plasma_side(const Image& image) {
    return std::bit_ceil(static_cast<unsigned>(std::max({image.width, image.height, 256})));
}

/// image * a + overlay(x, y, channel) * b, in levels.
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

constexpr Levels frost_image = {1, .8, .7, .65, .6};
constexpr Levels frost_overlay = {.4, .6, .7, .7, .75};

}  // namespace

void snow(const Work& work, Image& out) {
    struct Snow {
        double mean, deviation, zoom, threshold;
        int radius;
        double sigma, blend;
    };
    constexpr std::array<Snow, corruption_severities> levels = {{{.1, .3, 3, .5, 10, 4, .8},
                                                                 {.2, .3, 2, .5, 12, 4, .7},
                                                                 {.55, .3, 4, .9, 12, 8, .7},
                                                                 {.55, .3, 4.5, .85, 12, 8, .65},
                                                                 {.55, .3, 2.5, .85, 12, 12, .55}}};
    const Snow& s = levels[work.level()];
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
    const int dx = photograph.width - work.image.width, dy = photograph.height - work.image.height;
    const auto left = static_cast<int>(work.draws.below(static_cast<std::uint64_t>(dx) + 1));
    const auto top = static_cast<int>(work.draws.below(static_cast<std::uint64_t>(dy) + 1));
    overlay(work, frost_image[work.level()], frost_overlay[work.level()], out,
            [&](int x, int y, std::size_t c) {
                const auto at = static_cast<std::size_t>(top + y) * photograph.width + left + x;
                return static_cast<float>(photograph.pixels[4 * at + c]);
            });
}

// Crystals in place of photographs: the ridges of two fractals, fine ones where coarse ones are,
// and thicker towards the edges of the window. Bright blue-grey, as the published photographs are
// on average.
void frost_synthetic(const Work& work, Image& out) {
    const auto side = plasma_side(work.image);
    const auto coarse = plasma(static_cast<int>(side), 1.6, work.draws);
    const auto fine = plasma(static_cast<int>(side), 1.25, work.draws);
    const float width = static_cast<float>(work.image.width),
                height = static_cast<float>(work.image.height);
    constexpr std::array<float, 3> tint = {.86F, .94F, 1.0F};
    overlay(work, frost_image[work.level()], frost_overlay[work.level()], out,
            [&](int x, int y, std::size_t c) {
                const std::size_t at =
                    static_cast<std::size_t>(y) * side + static_cast<std::size_t>(x);
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
    constexpr Levels amount = {1.5, 2, 2.5, 2.5, 3};
    constexpr Levels decay = {2, 2, 1.7, 1.5, 1.4};
    const auto side = plasma_side(work.image);
    const auto map = plasma(static_cast<int>(side), decay[work.level()], work.draws);
    std::uint8_t most = 0;
    for (std::size_t i = 0; i < work.image.pixels.size(); i += 4)
        most = std::max(
            {most, work.image.pixels[i], work.image.pixels[i + 1], work.image.pixels[i + 2]});
    const double brightest = most / 255.0;
    const double keep = brightest / (brightest + amount[work.level()]);
    overlay(work, keep, keep * amount[work.level()] * 255, out, [&](int x, int y, std::size_t) {
        return map[static_cast<std::size_t>(y) * side + static_cast<std::size_t>(x)];
    });
}

}  // namespace assay::robustness
