#include "demo/world/styles.h"

#include <array>

namespace assay::world {
namespace {

/// The gradient's length in the strongest color channel at every pixel (Sobel's masks).
void find_edges(const Canvas& in, std::vector<float>& out) {
    const auto at = [&](int x, int y) {
        return in.at(std::clamp(x, 0, in.width - 1), std::clamp(y, 0, in.height - 1));
    };
    out.resize(in.pixels.size());
    for (int y = 0; y < in.height; ++y) {
        for (int x = 0; x < in.width; ++x) {
            const Colour gx = at(x + 1, y - 1) + 2 * at(x + 1, y) + at(x + 1, y + 1) +
                              -1 * (at(x - 1, y - 1) + 2 * at(x - 1, y) + at(x - 1, y + 1));
            const Colour gy = at(x - 1, y + 1) + 2 * at(x, y + 1) + at(x + 1, y + 1) +
                              -1 * (at(x - 1, y - 1) + 2 * at(x, y - 1) + at(x + 1, y - 1));
            const float r = gx.r * gx.r + gy.r * gy.r, g = gx.g * gx.g + gy.g * gy.g,
                        b = gx.b * gx.b + gy.b * gy.b;
            out[static_cast<std::size_t>(y * in.width + x)] =
                0.25F * std::sqrt(std::max({r, g, b}));
        }
    }
}

/// Draws dark lines on white, one or two pixels wide.
void edges(Canvas& canvas, Canvas& scratch) {
    blur(canvas, 1, scratch);
    std::vector<float> slope;
    find_edges(canvas, slope);
    const int w = canvas.width, h = canvas.height;
    const auto at = [&](int x, int y) {
        return slope[static_cast<std::size_t>(std::clamp(y, 0, h - 1) * w +
                                              std::clamp(x, 0, w - 1))];
    };
    for (int y = 0; y < h; ++y) {
        for (int x = 0; x < w; ++x) {
            // A ridge is not smaller than its two neighbors in one of the two directions.
            const float here = at(x, y);
            const bool ridge = (here >= at(x - 1, y) && here > at(x + 1, y)) ||
                               (here >= at(x, y - 1) && here > at(x, y + 1));
            const float ink = ridge ? ramp(0.07F, 0.17F, here) : 0.25F * ramp(0.2F, 0.5F, here);
            const float v = 1 - ink;
            canvas.at(x, y) = {v, v, v};
        }
    }
}

/// Uses a few flat colors chosen by brightness, as in a screen print. The things and the background
/// have different inks.
void poster(std::uint32_t seed, const Mask& things, Canvas& canvas) {
    constexpr std::array<std::array<std::uint32_t, 4>, 5> inks = {
        {{0x1B1F3B, 0xB1325A, 0xF28D4F, 0xFBE8B0},
         {0x12263A, 0x06707A, 0x6CC3A0, 0xF4F1BB},
         {0x2D1E2F, 0x7B2D8B, 0xF15BB5, 0xFEE9F5},
         {0x1D2B1F, 0x2F6B3B, 0xA9C94A, 0xF7F5D0},
         {0x201A1A, 0xA22C29, 0xD9A441, 0xF5EBDD}}};
    constexpr std::array<std::uint32_t, 5> grounds = {0xF6D743, 0xF2A1C0, 0x8FD3F0, 0xF08A5D,
                                                      0xB8E0A0};
    const auto set = static_cast<std::size_t>(5 * hash_unit(3, 1, seed));
    const auto ground = static_cast<std::size_t>(5 * hash_unit(4, 1, seed));
    for (std::size_t i = 0; i < canvas.pixels.size(); ++i) {
        const float y = clamp01(luminance(canvas.pixels[i]));
        const auto level = static_cast<std::size_t>(std::min(3.0F, y * 4.2F));
        canvas.pixels[i] =
            mix(rgb(grounds[ground]), rgb(inks[set][level]), clamp01(things.value[i]));
    }
}

/// Draws large square pixels with few colors.
void blocks(Canvas& canvas) {
    const int side = std::max(2, canvas.height / 28);
    for (int y0 = 0; y0 < canvas.height; y0 += side) {
        for (int x0 = 0; x0 < canvas.width; x0 += side) {
            const int x1 = std::min(x0 + side, canvas.width),
                      y1 = std::min(y0 + side, canvas.height);
            Colour sum;
            for (int y = y0; y < y1; ++y) {
                for (int x = x0; x < x1; ++x) sum = sum + canvas.at(x, y);
            }
            sum = (1 / static_cast<float>((x1 - x0) * (y1 - y0))) * sum;
            const auto step = [](float v) {
                return static_cast<float>(floor_int(clamp01(v) * 5 + 0.5F)) / 5;
            };
            for (int y = y0; y < y1; ++y) {
                for (int x = x0; x < x1; ++x)
                    canvas.at(x, y) = {step(sum.r), step(sum.g), step(sum.b)};
            }
        }
    }
}

/// Draws small stones, each with the color of its middle, with grout between them.
void mosaic(std::uint32_t seed, Canvas& canvas, Canvas& scratch) {
    scratch = canvas;
    const float cell = static_cast<float>(canvas.height) / 19;
    for (int y = 0; y < canvas.height; ++y) {
        for (int x = 0; x < canvas.width; ++x) {
            const float u = static_cast<float>(x) / cell, v = static_cast<float>(y) / cell;
            const int cx = floor_int(u), cy = floor_int(v);
            float first = 9, second = 9;
            Vec2 middle{u, v};
            for (int k = 0; k < 9; ++k) {
                const int ix = cx + k % 3 - 1, iy = cy + k / 3 - 1;
                const Vec2 p{static_cast<float>(ix) + 0.15F + 0.7F * hash_unit(ix, iy, seed),
                             static_cast<float>(iy) + 0.15F + 0.7F * hash_unit(ix, iy, seed + 1)};
                const float d = length({p.x - u, p.y - v});
                if (d < first) {
                    second = first;
                    first = d;
                    middle = p;
                } else if (d < second) {
                    second = d;
                }
            }
            const int mx = std::clamp(floor_int(middle.x * cell), 0, canvas.width - 1);
            const int my = std::clamp(floor_int(middle.y * cell), 0, canvas.height - 1);
            const Colour stone = 1.08F * scratch.at(mx, my);
            canvas.at(x, y) = mix(rgb(0x4A453E), stone, ramp(0.02F, 0.13F, second - first));
        }
    }
}

/// Draws glowing outlines at night.
void neon(std::uint32_t seed, const Mask& things, Canvas& canvas, Canvas& scratch) {
    std::vector<float> slope;
    find_edges(canvas, slope);
    const float turn = hash_unit(8, 2, seed);
    const Colour night = 0.1F * turned(rgb(0x6060FF), turn, 1, 1);
    scratch = canvas;
    for (std::size_t i = 0; i < canvas.pixels.size(); ++i) {
        const float glow = ramp(0.06F, 0.32F, slope[i]) * clamp01(things.value[i] + 0.05F);
        const Colour c = turned(scratch.pixels[i], turn, 2.6F, 1);
        const float top = std::max({c.r, c.g, c.b, 0.2F});
        canvas.pixels[i] = night + glow * ((1 / top) * c);
    }
    scratch = canvas;
    Canvas more;
    blur(scratch, 3, more);
    for (std::size_t i = 0; i < canvas.pixels.size(); ++i) {
        canvas.pixels[i] = clamp01(canvas.pixels[i] + 0.9F * scratch.pixels[i]);
    }
}

}  // namespace

void stylise(Style style, std::uint32_t seed, const Mask& things, Canvas& canvas, Canvas& scratch) {
    switch (style) {
        case Style::edges:
            return edges(canvas, scratch);
        case Style::poster:
            return poster(seed, things, canvas);
        case Style::blocks:
            return blocks(canvas);
        case Style::mosaic:
            return mosaic(seed, canvas, scratch);
        case Style::neon:
            return neon(seed, things, canvas, scratch);
        case Style::photo:
        case Style::silhouette:
        case Style::sketch:
            return;
    }
}

}  // namespace assay::world
