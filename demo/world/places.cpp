#include "demo/world/places.h"

#include <array>

namespace assay::world {
namespace {

/// The random numbers of a place, in [0, 1). draw(k) is always the same for the same seed.
struct Draws {
    std::uint32_t seed;
    float operator()(int k) const { return hash_unit(k, 17, seed); }
    float between(int k, float low, float high) const { return mix(low, high, (*this)(k)); }
};

/// A pixel in the coordinates of places. x is in units of the image's height, both are about 0..1,
/// and y is down.
struct Spot {
    float x, y, pixel;  ///< `pixel` is one pixel's width
};

float soft(float distance, float pixel) {
    return clamp01(0.5F - distance / pixel);
}
Colour shaded(Colour c, float t) {
    return mix(c, {0.05F, 0.06F, 0.1F}, t);
}

Colour sky(const Spot& p, const Draws& d) {
    const Colour top = mix(rgb(0x3F7FC4), rgb(0x6FAEE0), d(0)),
                 low = mix(rgb(0xBFDDF2), rgb(0xE6F0F2), d(1));
    Colour out = mix(top, low, ramp(-0.1F, 1.15F, p.y));
    const float amount = d.between(2, 0.46F, 0.62F);
    const float cloud = noise3(p.x * 2.6F + 40 * d(3), p.y * 4.6F + 9 * d(4), d.seed);
    const float lit = noise3(p.x * 2.6F + 40 * d(3), p.y * 4.6F + 9 * d(4) + 0.25F, d.seed);
    const Colour white = mix(rgb(0xFFFFFF), rgb(0xB9C8D8), ramp(0.45F, 0.8F, lit));
    return mix(out, white, 0.92F * ramp(amount, amount + 0.13F, cloud));
}

Colour dusk(const Spot& p, const Draws& d) {
    const float horizon = d.between(0, 0.62F, 0.8F);
    Colour out = mix(mix(rgb(0x4A3F7A), rgb(0x70508C), d(1)), rgb(0xF2A65A), ramp(0, horizon, p.y));
    out = mix(out, rgb(0xFBD98A), ramp(0.6F * horizon, 1.1F * horizon, p.y));
    const float sun = length({p.x - d(2), p.y - horizon + 0.1F});
    out = mix(out, rgb(0xFFF0C0),
              clamp01(soft(sun - 0.07F, p.pixel) + 0.35F * ramp(0.4F, 0.05F, sun)));
    out = mix(out, rgb(0xF6C7A0), 0.5F * ramp(0.58F, 0.7F, noise2(p.x * 2, p.y * 12, d.seed + 4)));
    for (int k = 0; k < 3; ++k) {
        const auto far = static_cast<float>(k);
        const float hill =
            0.26F * (noise2(p.x * (1.6F + far) + 20 * d(5 + k), far, d.seed + 9) - 0.5F);
        const float edge = horizon + 0.1F * far - 0.08F - hill - p.y;
        out = mix(out, mix(rgb(0x9A6A86), rgb(0x33304F), 0.5F * far), soft(edge, p.pixel));
    }
    return out;
}

Colour water(const Spot& p, const Draws& d) {
    const Colour top = mix(rgb(0x2C86B0), rgb(0x37A0A8), d(0)),
                 low = mix(rgb(0x0F3F6B), rgb(0x11575F), d(1));
    Colour out = mix(top, low, ramp(0, 1, p.y));
    const float sway = noise2(p.x * 3 + 30 * d(2), p.y * 5, d.seed);
    const float wave =
        sin_turns(p.y * d.between(3, 7, 10) + 1.7F * sway + 0.25F * sin_turns(p.x * 1.3F + d(4)));
    out = mix(out, rgb(0x9FE0E6), 0.42F * ramp(0.62F, 1, wave));
    out = shaded(out, 0.22F * ramp(-0.3F, -1, wave));
    const float glint = noise(p.x * 26, p.y * 40, d.seed + 3);
    return mix(out, rgb(0xEAFBFF), 0.7F * ramp(0.86F, 0.95F, glint) * ramp(0.2F, 0.9F, wave));
}

Colour beach(const Spot& p, const Draws& d) {
    const float horizon = d.between(0, 0.16F, 0.3F), shore = horizon + d.between(1, 0.14F, 0.24F);
    const Colour air = mix(rgb(0x8CC6EC), rgb(0xDDEFF7), ramp(0, horizon, p.y));
    const Colour sea = mix(rgb(0x2F9FBF), rgb(0x7FD3CE), ramp(horizon, shore, p.y));
    const Colour sand =
        mix(mix(rgb(0xE9D29C), rgb(0xF1DDB6), d(2)), rgb(0xCFAE74), ramp(shore, 1.1F, p.y));
    Colour out = mix(air, sea, soft(horizon - p.y, p.pixel));
    const float edge =
        shore + 0.035F * sin_turns(p.x * 1.2F + d(3)) + 0.03F * (noise(p.x * 9, 0, d.seed) - 0.5F);
    Colour ground = shaded(sand, 0.16F * noise2(p.x * 40, p.y * 40, d.seed + 1));
    ground = shaded(
        ground,
        0.12F * ramp(0.3F, 1, sin_turns(p.y * 9 + 1.2F * noise(p.x * 3, p.y * 3, d.seed + 2))));
    out = mix(out, ground, soft(edge - p.y, p.pixel));
    return mix(out, rgb(0xFFFFFF), 0.9F * soft(std::fabs(p.y - edge + 0.012F) - 0.014F, p.pixel));
}

Colour meadow(const Spot& p, const Draws& d) {
    const float horizon = d.between(0, 0.1F, 0.32F) + 0.06F * (noise(p.x * 2, 1, d.seed) - 0.5F);
    const Colour air = mix(rgb(0x8CC4EE), rgb(0xE3F1F5), ramp(0, horizon, p.y));
    const float depth = ramp(horizon, 1, p.y);
    Colour grass = mix(mix(rgb(0xA6CC6A), rgb(0x8FC07A), d(1)), rgb(0x4E8F3A), depth);
    const float blade = noise(p.x * 46, p.y * (16 - 9 * depth), d.seed + 3);
    grass = mix(grass, rgb(0x2E6B2B), 0.5F * ramp(0.55F, 0.9F, blade) * (0.3F + 0.7F * depth));
    grass = mix(grass, rgb(0xCDE58A), 0.4F * ramp(0.4F, 0.1F, blade) * (0.3F + 0.7F * depth));
    const int fx = floor_int(p.x * 13), fy = floor_int(p.y * 13);
    const float bloom = length({fraction(p.x * 13) - 0.3F - 0.4F * hash_unit(fx, fy, d.seed),
                                fraction(p.y * 13) - 0.3F - 0.4F * hash_unit(fx, fy, d.seed + 1)});
    if (hash_unit(fx, fy, d.seed + 2) < 0.3F && p.y > horizon + 0.06F) {
        constexpr std::array<std::uint32_t, 4> colours = {0xFFFFFF, 0xF7D54A, 0xE8799A, 0xB58BE0};
        const auto which = static_cast<std::size_t>(4 * hash_unit(fx, fy, d.seed + 4));
        grass = mix(grass, rgb(colours[which]),
                    0.9F * soft(bloom - 0.09F - 0.14F * depth, 13 * p.pixel));
    }
    return mix(air, grass, soft(horizon - p.y, p.pixel));
}

Colour street(const Spot& p, const Draws& d) {
    const float kerb = d.between(0, 0.62F, 0.74F);
    // Draws houses in a row, each with its own color, height and windows.
    const float pitch = d.between(1, 2.1F, 3.1F);
    const float along = p.x * pitch + 7 * d(2);
    const int number = floor_int(along);
    const float top = 0.06F + 0.26F * hash_unit(number, 1, d.seed);
    constexpr std::array<std::uint32_t, 5> colours = {0xC9B8A2, 0xA8B4BE, 0xC8A79A, 0xB7BFA6,
                                                      0xBFB3C6};
    const Colour front = rgb(colours[static_cast<std::size_t>(5 * hash_unit(number, 2, d.seed))]);
    Colour out = mix(rgb(0xBBD4E6), rgb(0xE9EEF0), ramp(0, 0.4F, p.y));
    const float within = fraction(along);
    Colour house =
        shaded(front, 0.2F * soft(std::min(within, 1 - within) - 0.02F, pitch * p.pixel));
    const float wx = fraction(within * 3 + 0.0F) - 0.5F, wy = fraction((p.y - top) * 7) - 0.5F;
    const float window = std::max(std::fabs(wx) - 0.22F, std::fabs(wy) - 0.3F);
    const bool lit = hash_unit(number * 7 + floor_int(within * 3), floor_int((p.y - top) * 7),
                               d.seed + 3) > 0.75F;
    house = mix(house, lit ? rgb(0xF3DFA0) : rgb(0x6F8494), 0.8F * soft(window, 8 * p.pixel));
    out = mix(out, house, soft(top - p.y, p.pixel));
    Colour road = mix(rgb(0xB9B4AC), rgb(0x6C6E73), soft(kerb + 0.07F - p.y, p.pixel));
    road = shaded(road, 0.14F * noise2(p.x * 50, p.y * 50, d.seed + 5));
    const float dash = std::max(std::fabs(p.y - kerb - 0.2F) - 0.012F,
                                std::fabs(fraction(p.x * 2.6F + d(4)) - 0.5F) - 0.28F);
    road = mix(road, rgb(0xF1EFE6), 0.85F * soft(dash, p.pixel));
    return mix(out, road, soft(kerb - p.y, p.pixel));
}

Colour room(const Spot& p, const Draws& d) {
    const float skirting = d.between(0, 0.66F, 0.78F);
    constexpr std::array<std::uint32_t, 5> papers = {0xD9C9B4, 0xB9C7BE, 0xC3BBD0, 0xD6B9AE,
                                                     0xB7C3D1};
    const Colour paper = rgb(papers[static_cast<std::size_t>(5 * d(1))]);
    const float stripe = fraction(p.x * d.between(2, 5, 9) + d(3));
    Colour wall =
        mix(paper, rgb(0xFFFFFF), 0.28F * soft(std::fabs(stripe - 0.5F) - 0.25F, 8 * p.pixel));
    wall = shaded(wall, 0.15F * p.y);
    const float fx = p.x - d.between(4, 0.1F, 0.9F), fy = p.y - d.between(5, 0.1F, 0.28F);
    const float frame = std::max(std::fabs(fx) - 0.15F, std::fabs(fy) - 0.12F);
    wall = mix(wall, rgb(0x8A6238), 0.85F * soft(frame, p.pixel));
    const Colour scene = mix(rgb(0xBFD7E6), rgb(0x8FB08A), soft(0.02F - fy, p.pixel));
    wall = mix(wall, scene, soft(frame + 0.025F, p.pixel));
    const float depth = (p.y - skirting) / (1.05F - skirting);
    const float board = fraction((p.x - 0.5F) * 5 / (0.6F + std::max(depth, 0.0F)) + d(6));
    Colour ground =
        mix(rgb(0xA67C52), rgb(0x8A623C), 0.5F * noise2(p.x * 8, p.y * 30, d.seed) + 0.3F * d(7));
    ground = shaded(ground, 0.35F * soft(std::min(board, 1 - board) - 0.03F, 6 * p.pixel));
    Colour out = mix(wall, ground, soft(skirting - p.y, p.pixel));
    return mix(out, rgb(0xF2ECE0), soft(std::fabs(p.y - skirting + 0.02F) - 0.022F, p.pixel));
}

Colour forest(const Spot& p, const Draws& d) {
    const float ground = d.between(0, 0.64F, 0.8F) + 0.05F * (noise(p.x * 3, 2, d.seed) - 0.5F);
    Colour out = mix(mix(rgb(0x9DBB7A), rgb(0xB9C98C), d(1)), rgb(0x3E5F3A), ramp(0, 0.9F, p.y));
    out = mix(out, rgb(0x2C4A2B), 0.55F * ramp(0.45F, 0.7F, noise2(p.x * 6, p.y * 6, d.seed + 1)));
    for (int k = 0; k < 7; ++k) {
        const float near = 0.3F + 0.7F * static_cast<float>(k) / 6;
        const float x = fraction(0.37F * static_cast<float>(k) + d(2 + k)) * 1.2F - 0.1F;
        const float half = near * d.between(12 + k, 0.02F, 0.045F);
        const float lean = 0.12F * (d(22 + k) - 0.5F);
        const float edge = std::fabs(p.x - x - lean * (p.y - 0.5F)) - half;
        if (edge > p.pixel || p.y > ground + 0.1F * near) continue;
        const Colour bark = mix(mix(rgb(0x7C8A66), rgb(0x4A3A2B), near), rgb(0xA38B6A),
                                0.4F * noise(p.x * 60, p.y * 9, d.seed + 5) * near);
        out = mix(out, shaded(bark, 0.3F * ramp(0, half, p.x - x)), soft(edge, p.pixel));
    }
    Colour floor =
        mix(rgb(0x6B5232), rgb(0x54682F), ramp(0.35F, 0.65F, noise2(p.x * 5, p.y * 8, d.seed + 6)));
    floor =
        mix(floor, rgb(0xB07A3A), 0.6F * ramp(0.62F, 0.8F, noise(p.x * 28, p.y * 34, d.seed + 7)));
    return mix(out, shaded(floor, 0.25F * ramp(1, ground, p.y)), soft(ground - p.y, p.pixel));
}

Colour workshop(const Spot& p, const Draws& d) {
    const float bench = d.between(0, 0.7F, 0.86F);
    Colour board = mix(mix(rgb(0xCDB48C), rgb(0xB8A588), d(1)), rgb(0x9C8259),
                       0.5F * noise2(p.x * 3, p.y * 3, d.seed));
    const float pitch = d.between(2, 9, 13);
    const float hole = length({fraction(p.x * pitch) - 0.5F, fraction(p.y * pitch) - 0.5F}) / pitch;
    board = shaded(board, 0.7F * soft(hole - 0.014F, p.pixel));
    const float rail = std::fabs(p.y - d.between(3, 0.08F, 0.2F)) - 0.018F;
    board = mix(board, rgb(0x8C939A), 0.8F * soft(rail, p.pixel));
    Colour wood =
        mix(rgb(0x8B5E34), rgb(0x6B4424), noise2(p.x * 4 + 20 * d(4), p.y * 38, d.seed + 1));
    wood = mix(wood, rgb(0xB8874F), 0.8F * soft(std::fabs(p.y - bench - 0.012F) - 0.014F, p.pixel));
    return mix(board, wood, soft(bench - p.y, p.pixel));
}

using PlacePainter = Colour (*)(const Spot&, const Draws&);
/// Places in the order of the enumeration.
constexpr std::array<PlacePainter, place_count> painters = {sky,    dusk, water,  beach,   meadow,
                                                            street, room, forest, workshop};

}  // namespace

void paint_place(Place place, std::uint32_t seed, Canvas& canvas) {
    const PlacePainter painter = painters[static_cast<std::size_t>(place)];
    const Draws draws{seed};
    const float scale = 1 / static_cast<float>(canvas.height);
    for (int y = 0; y < canvas.height; ++y) {
        for (int x = 0; x < canvas.width; ++x) {
            const Spot spot{(static_cast<float>(x) + 0.5F) * scale,
                            (static_cast<float>(y) + 0.5F) * scale, scale};
            canvas.at(x, y) = painter(spot, draws);
        }
    }
}

void paint_plain(std::uint32_t seed, Canvas& canvas) {
    const float grey = 0.72F + 0.18F * hash_unit(1, 0, seed),
                across = 0.14F * (hash_unit(2, 0, seed) - 0.5F);
    const Colour tint{0.015F * (hash_unit(3, 0, seed) - 0.5F), 0,
                      0.03F * (hash_unit(4, 0, seed) - 0.5F)};
    for (int y = 0; y < canvas.height; ++y) {
        for (int x = 0; x < canvas.width; ++x) {
            const float fx = static_cast<float>(x) / static_cast<float>(canvas.width) - 0.5F;
            const float fy = static_cast<float>(y) / static_cast<float>(canvas.height) - 0.5F;
            const float v = grey + across * fx - 0.12F * fy;
            canvas.at(x, y) = Colour{v, v, v} + tint;
        }
    }
}

}  // namespace assay::world
