#include "demo/world/textures.h"

#include <array>

namespace assay::world {
namespace {

/// Returns 1 inside (distance < 0) and 0 outside, smooth over a pixel.
float inside(float distance, float footprint) {
    return clamp01(0.5F - distance / std::max(footprint, 0.02F));
}
/// Returns a line of a given half width around `distance` = 0.
float line(float distance, float half, float footprint) {
    return inside(std::fabs(distance) - half, footprint);
}
/// The distance to the nearest multiple of 1.
float to_integer(float x) {
    return std::fabs(fraction(x + 0.5F) - 0.5F);
}
Colour lighter(Colour c, float t) {
    return mix(c, {1, 1, 1}, t);
}
Colour darker(Colour c, float t) {
    return mix(c, {0.06F, 0.05F, 0.08F}, t);
}

struct Cell {
    int x, y;
    float u, v;  ///< in [0, 1)
    float draw(std::uint32_t seed, std::uint32_t which = 0) const {
        return hash_unit(x, y, seed + 977 * which);
    }
};
Cell cell_at(float u, float v) {
    const int x = floor_int(u), y = floor_int(v);
    return {x, y, u - static_cast<float>(x), v - static_cast<float>(y)};
}
/// Makes rows of cells, with every second row shifted by half a cell.
Cell staggered(float u, float v) {
    const int row = floor_int(v);
    return cell_at(u + ((row & 1) != 0 ? 0.5F : 0.0F), v);
}

/// The distances to the two nearest jittered points (one per cell), and the nearest point.
struct Nearest {
    float first = 9, second = 9;
    Vec2 offset{};  ///< offset from the nearest point
    int x = 0, y = 0;
};
Nearest nearest_points(float u, float v, float jitter, std::uint32_t seed) {
    const Cell at = cell_at(u, v);
    Nearest found;
    for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
            const int x = at.x + dx, y = at.y + dy;
            const float px =
                static_cast<float>(dx) + 0.5F + jitter * (hash_unit(x, y, seed) - 0.5F) - at.u;
            const float py =
                static_cast<float>(dy) + 0.5F + jitter * (hash_unit(x, y, seed + 71) - 0.5F) - at.v;
            const float d = px * px + py * py;
            if (d < found.first) {
                found.second = found.first;
                found.first = d;
                found.offset = {-px, -py};
                found.x = x;
                found.y = y;
            } else if (d < found.second) {
                found.second = d;
            }
        }
    }
    found.first = std::sqrt(found.first);
    found.second = std::sqrt(found.second);
    return found;
}

Colour panels(const SurfacePoint& p, const Palette& c) {
    const Cell at = staggered(p.u * 0.75F, p.v * 1.15F);
    const float x = std::min(at.u, 1 - at.u) / 0.75F, y = std::min(at.v, 1 - at.v) / 1.15F;
    Colour out = darker(lighter(c.base, 0.25F * at.draw(p.seed)), 0.18F * at.v);
    if (at.draw(p.seed, 1) > 0.9F) out = mix(out, c.third, 0.85F);
    const Vec2 rivet{x - 0.17F, y - 0.17F};
    out = mix(out, darker(c.second, 0.25F), inside(length(rivet) - 0.062F, p.footprint));
    return mix(out, darker(c.second, 0.45F), inside(std::min(x, y) - 0.04F, p.footprint));
}

Colour stripes(const SurfacePoint& p, const Palette& c) {
    const float x = p.u * 0.8F;
    const int band = floor_int(x) & 3;
    const float edge = to_integer(x) / 0.8F;
    const std::array<Colour, 4> order = {c.base, c.second, c.third, c.second};
    const Colour here = order[static_cast<std::size_t>(band)];
    return darker(here, 0.3F * inside(edge - 0.02F, p.footprint));
}

Colour feathers(const SurfacePoint& p, const Palette& c) {
    // Draws long pointed scales, each with a shaft and barbs. Each row covers the next lower row.
    Colour out = c.base;
    const float u = p.u * 1.15F, v = p.v * 0.85F;
    for (int k = 1; k >= 0; --k) {
        const int row = floor_int(v) - k;
        const float x0 = u + ((row & 1) != 0 ? 0.5F : 0.0F);
        const Cell at = cell_at(x0, 0);
        const float y = (v - static_cast<float>(row)) / 1.75F;
        const float x = (at.u - 0.5F) * 2;
        const float half = (1 - y) * (0.55F + 1.6F * y);
        if (y < 0 || y > 1) continue;
        const float edge = (std::fabs(x) - std::min(half, 1.02F)) * 0.4F;
        const float barb = to_integer((y - 0.45F * std::fabs(x)) * 5.5F) / 5.5F;
        Colour feather = mix(c.base, c.second,
                             0.75F * ramp(0.25F, 0.8F, y) + 0.2F * hash_unit(at.x, row, p.seed));
        feather = mix(feather, darker(c.base, 0.5F), 0.55F * line(barb, 0.03F, p.footprint));
        feather = mix(feather, c.third, line(x * 0.4F, 0.035F, p.footprint));
        feather = darker(feather, 0.6F * inside(-edge - 0.05F, p.footprint));
        out = mix(out, feather, inside(edge, p.footprint));
    }
    return out;
}

Colour planks(const SurfacePoint& p, const Palette& c) {
    const float v = p.v * 1.35F;
    const int row = floor_int(v);
    const float slide = hash_unit(row, 3, p.seed) * 3;
    const Cell at = cell_at(p.u * 0.32F + slide, v);
    const float streak = noise2(p.u * 1.3F + 9 * slide, v * 6, p.seed);
    Colour out =
        mix(c.base, c.second, 0.4F * at.draw(p.seed, 2) + 0.35F * ramp(0.45F, 0.75F, streak));
    out = lighter(out, 0.14F * ramp(0.4F, 0.1F, at.v));
    const float seam = std::min(std::min(at.v, 1 - at.v) / 1.35F, std::min(at.u, 1 - at.u) / 0.32F);
    const float nail =
        length({std::min(at.u, 1 - at.u) / 0.32F - 0.16F, (at.v - 0.5F) / 1.35F}) - 0.05F;
    out = mix(out, darker(c.second, 0.6F), inside(nail, p.footprint));
    return mix(out, darker(c.second, 0.55F), inside(seam - 0.045F, p.footprint));
}

Colour rings(const SurfacePoint& p, const Palette& c) {
    const Nearest n = nearest_points(p.u * 0.72F, p.v * 0.72F, 0.45F, p.seed);
    const float r = n.first / 0.72F;
    Colour out = mix(c.base, darker(c.base, 0.3F), ramp(0.55F, 0.8F, r));
    out = mix(out, c.second, inside(r - 0.5F, p.footprint));
    out = mix(out, c.third, inside(r - 0.37F, p.footprint));
    out = mix(out, c.second, inside(r - 0.24F, p.footprint));
    return mix(out, lighter(c.base, 0.4F), inside(r - 0.1F, p.footprint));
}

Colour checks(const SurfacePoint& p, const Palette& c) {
    const float u = p.u * 1.6F, v = p.v * 1.6F;
    const Cell at = cell_at(u, v);
    const float du = (at.u < 0.5F ? at.u : 1 - at.u) / 1.6F,
                dv = (at.v < 0.5F ? at.v : 1 - at.v) / 1.6F;
    const float edge = std::min(du, dv);
    const float blur = clamp01(0.5F + edge / std::max(p.footprint, 0.02F));
    const bool odd = ((at.x ^ at.y) & 1) != 0;
    return odd ? mix(c.base, c.second, blur) : mix(c.second, c.base, blur);
}

Colour stones(const SurfacePoint& p, const Palette& c) {
    const Nearest n = nearest_points(p.u * 0.95F, p.v * 1.25F, 0.75F, p.seed);
    const float tone = hash_unit(n.x, n.y, p.seed + 5);
    Colour out = mix(c.base, c.third, 0.9F * tone);
    out = darker(out,
                 0.22F * noise2(p.u * 5, p.v * 5, p.seed) + 0.22F * ramp(-0.2F, 0.5F, n.offset.y));
    const float border = n.second - n.first - 0.1F;
    return mix(out, darker(c.second, 0.35F), inside(border, p.footprint));
}

Colour fur(const SurfacePoint& p, const Palette& c) {
    // Draws tabby bands that are broken by short hanging hairs.
    const float sway = 0.35F * (noise(p.u * 0.9F, p.v * 0.7F, p.seed) - 0.5F);
    const float hair = noise(p.u * 9 + 6 * sway, p.v * 1.6F, p.seed + 3);
    const float fine = noise(p.u * 14 + 9 * sway, p.v * 2.4F, p.seed + 9);
    const float band = sin_turns(p.v * 0.62F + 0.8F * sway + 0.22F * (hair - 0.5F));
    Colour out = mix(c.base, c.second, ramp(0.15F, 0.55F, band));
    out = mix(out, c.third, 0.65F * ramp(0.55F, 0.85F, hair));
    return darker(out, 0.45F * ramp(0.6F, 0.85F, fine));
}

Colour zigzag(const SurfacePoint& p, const Palette& c) {
    const float saw = to_integer(p.u * 0.9F) * 1.5F;
    const float y = (p.v + saw) * 0.72F;
    const float band = fraction(y) * 4;
    const float w = p.footprint * 4;
    const float first = ramp(0, w, band) * ramp(1 + w, 1, band);
    const float second = ramp(2 - w, 2, band) * ramp(3 + w, 3, band);
    return mix(mix(c.base, c.second, first), c.third, second);
}

Colour scales(const SurfacePoint& p, const Palette& c) {
    Colour out = c.base;
    const float u = p.u * 1.3F, v = p.v * 1.7F;
    for (int k = 1; k >= 0; --k) {  // each row covers part of the next row
        const int row = floor_int(v) - k;
        const Cell at = cell_at(u + ((row & 1) != 0 ? 0.5F : 0.0F), 0);
        const float x = at.u - 0.5F, y = (v - static_cast<float>(row)) * 0.5F - 0.28F;
        const float r = std::sqrt(x * x + y * y) - 0.54F;
        if (y < -0.3F) continue;
        Colour scale = mix(c.third, c.base, ramp(-0.55F, -0.1F, r));
        scale = mix(scale, c.base, 0.4F * hash_unit(at.x, row, p.seed));
        scale = mix(scale, darker(c.second, 0.25F), line(r + 0.05F, 0.06F, p.footprint));
        const float covers = y < 0 ? 1.0F : inside(r, p.footprint);
        out = mix(out, scale, covers);
    }
    return out;
}

Colour florets(const SurfacePoint& p, const Palette& c) {
    const Nearest n = nearest_points(p.u * 0.78F, p.v * 0.78F, 0.4F, p.seed);
    const float spin = hash_unit(n.x, n.y, p.seed + 11);
    const float r = n.first / 0.78F;
    const float petals = 0.40F + 0.13F * sin_turns(5 * turn_of(n.offset.y, n.offset.x) + spin);
    Colour out = darker(c.base, 0.12F * spin);
    out = mix(out, c.second, inside(r - petals, p.footprint));
    return mix(out, c.third, inside(r - 0.16F, p.footprint));
}

Colour grain(const SurfacePoint& p, const Palette& c) {
    const float bend = 1.5F * noise2(p.u * 0.55F, p.v * 0.22F, p.seed);
    const float ring = fraction((p.u * 0.85F + bend) * 1.7F);
    const float fine = noise(p.u * 13, p.v * 0.9F, p.seed + 4);
    Colour out = mix(c.third, c.base, ramp(0, 0.45F, ring));
    out = mix(out, c.second, ramp(0.5F, 0.9F, ring) * ramp(1.0F, 0.93F, ring));
    return darker(out, 0.3F * ramp(0.6F, 0.9F, fine));
}

Colour hatch(const SurfacePoint& p, const Palette& c) {
    const float a = to_integer((p.u + p.v) * 1.5F) / 2.1F,
                b = to_integer((p.u - p.v) * 1.5F) / 2.1F;
    const float gloss = ramp(0.25F, 0.75F, noise(p.u * 0.7F, p.v * 0.7F, p.seed));
    Colour out = mix(c.base, c.third, 0.3F + 0.7F * gloss * ramp(0.05F, 0.3F, std::min(a, b)));
    const float lines = std::max(line(a, 0.055F, p.footprint), line(b, 0.055F, p.footprint));
    return mix(out, c.second, lines);
}

Colour bricks(const SurfacePoint& p, const Palette& c) {
    const Cell at = staggered(p.u * 0.95F, p.v * 2.0F);
    const float seam = std::min(std::min(at.u, 1 - at.u) / 0.95F, std::min(at.v, 1 - at.v) / 2.0F);
    Colour out = mix(c.base, c.third, at.draw(p.seed));
    out = darker(out, 0.25F * noise2(p.u * 6, p.v * 6, p.seed));
    return mix(out, c.second, inside(seam - 0.045F, p.footprint));
}

Colour waves(const SurfacePoint& p, const Palette& c) {
    const float y =
        p.v * 1.25F + 0.24F * sin_turns(p.u * 0.7F) + 0.15F * noise(p.u * 0.8F, p.v * 0.8F, p.seed);
    const float band = fraction(y);
    Colour out = mix(c.third, c.base, ramp(0.1F, 0.55F, band));
    return mix(out, darker(c.second, 0.2F), line(band - 0.78F, 0.17F, 1.25F * p.footprint));
}

Colour veins(const SurfacePoint& p, const Palette& c) {
    const float u = p.u * 0.62F;
    const float x = std::fabs(fraction(u) - 0.5F) / 0.62F;  // 0 on the midrib
    const float side = to_integer((p.v + 0.85F * x) * 1.55F) / 1.9F;
    Colour out = mix(c.base, c.third,
                     0.6F * ramp(0.04F, 0.28F, side) * noise(p.u * 2, p.v * 2, p.seed) + 0.12F);
    out = mix(out, c.second, line(side, 0.032F, p.footprint));
    out = mix(out, c.second, line(x, 0.06F, p.footprint));
    return mix(out, darker(c.third, 0.3F), line(x - 0.5F / 0.62F, 0.05F, p.footprint));
}

Colour dots(const SurfacePoint& p, const Palette& c) {
    const Cell at = staggered(p.u * 1.0F, p.v * 1.15F);
    const float size = 0.27F + 0.07F * at.draw(p.seed);
    const float r = length({at.u - 0.5F, (at.v - 0.5F) / 1.15F}) - size;
    const Colour ground = mix(c.base, c.third, 0.5F * noise(p.u * 0.5F, p.v * 0.5F, p.seed));
    return mix(ground, c.second, inside(r, p.footprint));
}

Colour foliage(const SurfacePoint& p, const Palette& c) {
    const Nearest n = nearest_points(p.u * 1.25F, p.v * 1.25F, 0.9F, p.seed);
    const float lit = 0.5F - 0.9F * n.offset.y - 0.5F * n.offset.x;
    const float leaf = noise(p.u * 6, p.v * 6, p.seed + 2);
    Colour out = mix(c.base, c.third, ramp(0.35F, 0.95F, lit + 0.4F * (leaf - 0.5F)));
    out = mix(out, c.second, ramp(0.42F, 0.05F, lit + 0.45F * (leaf - 0.5F)));
    return mix(out, darker(c.second, 0.4F), 0.8F * inside(n.second - n.first - 0.05F, p.footprint));
}

Colour hexagons(const SurfacePoint& p, const Palette& c) {
    // Uses two interleaved rectangular lattices. The nearer center is the hexagon's center.
    constexpr float height = 1.7320508F;
    const float u = p.u * 1.05F, v = p.v * 1.05F;
    const Cell a = cell_at(u, v / height), b = cell_at(u + 0.5F, v / height + 0.5F);
    const Vec2 da{a.u - 0.5F, (a.v - 0.5F) * height}, db{b.u - 0.5F, (b.v - 0.5F) * height};
    const bool first = da.x * da.x + da.y * da.y < db.x * db.x + db.y * db.y;
    const Vec2 d = first ? da : db;
    const float tone = first ? a.draw(p.seed) : b.draw(p.seed, 1);
    const float x = std::fabs(d.x), y = std::fabs(d.y);
    const float border = 0.5F - std::max(x, 0.5F * x + 0.8660254F * y);
    Colour out = mix(c.third, c.base, ramp(0.4F, 0.12F, border));
    out = mix(out, c.base, 0.5F * tone);
    return mix(out, c.second, inside(border - 0.075F, p.footprint));
}

Colour plaid(const SurfacePoint& p, const Palette& c) {
    const float x = fraction(p.u * 0.62F), y = fraction(p.v * 0.62F);
    const float w = 0.62F * p.footprint;
    Colour out = mix(c.base, c.second, 0.5F * line(x - 0.3F, 0.17F, w));
    out = mix(out, c.second, 0.5F * line(y - 0.3F, 0.17F, w));
    out = mix(out, c.third, 0.85F * line(x - 0.78F, 0.035F, w));
    return mix(out, c.third, 0.85F * line(y - 0.78F, 0.035F, w));
}

using Surface = Colour (*)(const SurfacePoint&, const Palette&);
/// Textures in the order of the enumeration.
constexpr std::array<Surface, texture_count> surfaces = {
    panels,  stripes, feathers, planks, rings, checks, stones, fur,     zigzag,   scales,
    florets, grain,   hatch,    bricks, waves, veins,  dots,   foliage, hexagons, plaid};

}  // namespace

Colour surface_colour(Texture texture, const SurfacePoint& at, const Palette& palette) {
    return surfaces[static_cast<std::size_t>(texture)](at, palette);
}

}  // namespace assay::world
