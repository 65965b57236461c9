#include "demo/world/places.h"
#include "demo/world/scene.h"
#include "demo/world/styles.h"
#include "demo/world/textures.h"

namespace assay::world {
namespace {

constexpr Colour shadow_colour{0.06F, 0.06F, 0.11F};
constexpr Colour pencil{0.2F, 0.2F, 0.23F};

/// Maps a shape's own square to the image.
class Placing {
public:
    Placing(const Pose& pose, std::uint32_t seed)
        : pose_(pose),
          seed_(seed),
          c_(cos_turns(pose.turn)),
          s_(sin_turns(pose.turn)),
          wide_(std::sqrt(pose.squash)) {}

    Vec2 to_image(Vec2 p) const {
        if (pose_.wobble > 0) {
            const float dx = noise(1.6F * p.x + 5, 1.6F * p.y + 5, seed_) - 0.5F;
            const float dy = noise(1.6F * p.x + 5, 1.6F * p.y + 5, seed_ + 31) - 0.5F;
            p = p + (2 * pose_.wobble) * Vec2{dx, dy};
        }
        p.x += pose_.shear * p.y + pose_.bend * (p.y * p.y - 0.3F);
        p = {p.x * wide_, p.y / wide_};
        if (pose_.flip) p.x = -p.x;
        return pose_.centre + pose_.reach * Vec2{c_ * p.x - s_ * p.y, s_ * p.x + c_ * p.y};
    }
    /// The map without wobble, shear and bend, which textures follow.
    Vec2 from_image(Vec2 q) const {
        const Vec2 d = (1 / pose_.reach) * (q - pose_.centre);
        const Vec2 p{c_ * d.x + s_ * d.y, c_ * d.y - s_ * d.x};
        return {pose_.flip ? -p.x : p.x, p.y};
    }

private:
    const Pose& pose_;
    std::uint32_t seed_;
    float c_, s_, wide_;
};

/// The colors of the layers without a texture.
Colour plain_colour(Fill fill, const Palette& p) {
    switch (fill) {
        case Fill::second:
            return p.second;
        case Fill::third:
            return p.third;
        case Fill::dark:
            return rgb(0x23222A);
        case Fill::light:
            return rgb(0xF6F3EA);
        case Fill::glass:
            return rgb(0x9CCBE0);
        case Fill::wood:
            return rgb(0x8A5A32);
        case Fill::metal:
            return rgb(0xB9C0C7);
        case Fill::leaf:
            return rgb(0x4C9440);
        case Fill::skin:
            return mix(p.second, rgb(0xE9C9A0), 0.6F);
        case Fill::accent:
            return rgb(0xF5B82E);
        case Fill::brown:
            return rgb(0x4A2F1E);
        case Fill::body:
        case Fill::soft:
            break;
    }
    return p.base;
}

PixelBox grown(PixelBox box, int by, const Canvas& canvas) {
    return cut({box.x0 - by, box.y0 - by, box.x1 + by, box.y1 + by}, canvas.box());
}

void unite(Mask& whole, const Mask& part, PixelBox box) {
    for (int y = box.y0; y < box.y1; ++y) {
        for (int x = box.x0; x < box.x1; ++x) {
            float& w = whole.at(x, y);
            w = std::max(w, w + part.at(x, y) * (1 - w));
        }
    }
}

/// The pixels with at least half coverage.
PixelBox half_covered(const Mask& mask) {
    PixelBox box{mask.width, mask.height, 0, 0};
    for (int y = 0; y < mask.height; ++y) {
        for (int x = 0; x < mask.width; ++x) {
            if (mask.at(x, y) < 0.5F) continue;
            box = {std::min(box.x0, x), std::min(box.y0, y), std::max(box.x1, x + 1),
                   std::max(box.y1, y + 1)};
        }
    }
    return box.empty() ? PixelBox{} : box;
}

}  // namespace

void Painter::put(const Thing& thing) {
    const Shape& shape = shape_of(thing.cls);
    const Placing placing(thing.pose, thing.seed);
    placed_.resize(shape.layers.size());
    for (std::size_t l = 0; l < shape.layers.size(); ++l) {
        const auto& contours = shape.layers[l].contours;
        placed_[l].resize(contours.size());
        for (std::size_t i = 0; i < contours.size(); ++i) {
            placed_[l][i].resize(contours[i].size());
            for (std::size_t k = 0; k < contours[i].size(); ++k) {
                placed_[l][i][k] = placing.to_image(contours[i][k]);
            }
        }
    }
}

PixelBox Painter::cover_layer(std::size_t layer) {
    coverage_.begin(canvas_.width, canvas_.height);
    for (const Contour& contour : placed_[layer]) coverage_.add(contour);
    coverage_.finish(layer_);
    return coverage_.touched();
}

void Painter::colour_layer(const Thing& thing, Fill fill_with, PixelBox box) {
    if (fill_with != Fill::body && fill_with != Fill::soft) {
        fill(object_, layer_, box, plain_colour(fill_with, thing.palette));
        return;
    }
    Palette palette = thing.palette;
    palette.second = mix(palette.base, palette.second, thing.strength);
    palette.third = mix(palette.base, palette.third, thing.strength);
    const Placing placing(thing.pose, thing.seed);
    const float periods = 2.1F * thing.texture_scale;
    const float c = periods * cos_turns(thing.texture_turn),
                s = periods * sin_turns(thing.texture_turn);
    const float du = hash_unit(1, 5, thing.seed), dv = hash_unit(2, 5, thing.seed);
    SurfacePoint at{.footprint = periods / thing.pose.reach, .seed = thing.seed};
    for (int y = box.y0; y < box.y1; ++y) {
        for (int x = box.x0; x < box.x1; ++x) {
            const float share = layer_.at(x, y);
            if (share <= 0) continue;
            const Vec2 p =
                placing.from_image({static_cast<float>(x) + 0.5F, static_cast<float>(y) + 0.5F});
            at.u = c * p.x - s * p.y + du;
            at.v = s * p.x + c * p.y + dv;
            Colour colour = surface_colour(thing.texture, at, palette);
            if (fill_with == Fill::soft) colour = mix(colour, palette.third, 0.45F);
            object_.at(x, y) = mix(object_.at(x, y), colour, share);
        }
    }
}

void Painter::paint_thing(const Thing& thing, const Scene& scene, Mask& whole) {
    put(thing);
    const Shape& shape = shape_of(thing.cls);
    PixelBox box{};
    for (std::size_t l = 0; l < shape.layers.size(); ++l) {
        const PixelBox touched = cover_layer(l);
        if (touched.empty()) continue;
        colour_layer(thing, shape.layers[l].fill, touched);
        unite(whole, layer_, touched);
        box = hull(box, touched);
    }
    if (!box.empty()) compose(thing, scene, whole, box);
}

// The blurred mask serves as a height map. Its slope gives the round appearance, and its value the
// dark rim. When shifted, it is the shadow on the things behind.
void Painter::compose(const Thing& thing, const Scene& scene, const Mask& whole, PixelBox box) {
    const float reach = thing.pose.reach;
    const int radius = std::max(1, static_cast<int>(0.085F * reach + 0.5F));
    const PixelBox wide = grown(box, 2 * radius + 3, canvas_);
    soft_.reset(canvas_.width, canvas_.height);
    for (int y = box.y0; y < box.y1; ++y) {
        for (int x = box.x0; x < box.x1; ++x) soft_.at(x, y) = whole.at(x, y);
    }
    blur(soft_, wide, radius, scratch_);
    const Vec2 from = scene.light.from;
    const int dx = to_nearest(-0.1F * reach * from.x), dy = to_nearest(-0.1F * reach * from.y);
    const auto soft_at = [&](int x, int y) {
        return soft_.at(std::clamp(x, 0, canvas_.width - 1), std::clamp(y, 0, canvas_.height - 1));
    };
    const PixelBox shadow = grown(wide, std::max(std::abs(dx), std::abs(dy)), canvas_);
    for (int y = shadow.y0; y < shadow.y1; ++y) {
        for (int x = shadow.x0; x < shadow.x1; ++x) {
            canvas_.at(x, y) =
                mix(canvas_.at(x, y), shadow_colour, 0.42F * soft_at(x - dx, y - dy));
        }
    }
    const float slope = 1.15F * static_cast<float>(radius);
    for (int y = box.y0; y < box.y1; ++y) {
        for (int x = box.x0; x < box.x1; ++x) {
            const float share = whole.at(x, y);
            if (share <= 0) continue;
            const float gx = 0.5F * (soft_at(x + 1, y) - soft_at(x - 1, y));
            const float gy = 0.5F * (soft_at(x, y + 1) - soft_at(x, y - 1));
            const float lit = -slope * (gx * from.x + gy * from.y);
            const float rim = 1 - 0.38F * ramp(0.8F, 0.42F, soft_.at(x, y));
            const Colour own = object_.at(x, y);
            const Colour shaded = lit < 0
                                      ? (rim * (1 + 0.75F * std::max(lit, -1.0F))) * own
                                      : mix(rim * own, {1, 1, 0.96F}, std::min(0.55F * lit, 0.5F));
            canvas_.at(x, y) = mix(canvas_.at(x, y), shaded, share);
        }
    }
}

// Paints the area white, then draws two slightly different strokes along every outline.
void Painter::sketch_thing(const Thing& thing, Mask& whole) {
    const Colour paper = canvas_.at(0, 0);
    const Shape& shape = shape_of(thing.cls);
    const float width = std::max(0.9F, 0.032F * thing.pose.reach);
    std::vector<Contour> lines;
    put(thing);
    const std::vector<std::vector<Contour>> outlines = placed_;
    for (std::size_t l = 0; l < shape.layers.size(); ++l) {
        placed_ = outlines;
        const PixelBox touched = cover_layer(l);
        if (touched.empty()) continue;
        unite(whole, layer_, touched);
        const Fill fill_with = shape.layers[l].fill;
        const bool dark = fill_with == Fill::dark || fill_with == Fill::brown;
        fill(canvas_, layer_, touched, dark ? mix(paper, pencil, 0.75F) : paper);
        if (fill_with != Fill::light && fill_with != Fill::glass &&
            !dark) {  // pencil shading, denser on the far side
            const bool dense =
                fill_with == Fill::second || fill_with == Fill::wood || fill_with == Fill::third;
            for (int y = touched.y0; y < touched.y1; ++y) {
                for (int x = touched.x0; x < touched.x1; ++x) {
                    const float along = static_cast<float>(x + y),
                                across = static_cast<float>(x - y);
                    const float far = ((static_cast<float>(x) - thing.pose.centre.x) +
                                       (static_cast<float>(y) - thing.pose.centre.y)) /
                                      thing.pose.reach;
                    const float grain = noise(across * 0.35F, along * 0.06F, thing.seed + 7);
                    const float tone = (dense ? 0.5F : 0.0F) + 0.28F * ramp(-0.2F, 1.2F, far);
                    const float mark =
                        ramp(0.75F - 0.5F * tone, 1.0F - 0.5F * tone, grain) * (0.35F + tone);
                    Colour& at = canvas_.at(x, y);
                    at = mix(at, pencil, std::min(mark, 0.8F) * layer_.at(x, y));
                }
            }
        }
        for (std::uint32_t pass = 0; pass < 2; ++pass) {
            lines.clear();
            for (const Contour& contour : outlines[l]) {
                Contour line = contour;
                line.push_back(contour.front());
                for (Vec2& p : line) {
                    p.x += 1.3F * (noise(0.11F * p.x, 0.11F * p.y, thing.seed + 50 + pass) - 0.5F);
                    p.y += 1.3F * (noise(0.11F * p.x, 0.11F * p.y, thing.seed + 60 + pass) - 0.5F);
                }
                stroke(line, width, lines);
            }
            coverage_.begin(canvas_.width, canvas_.height);
            for (const Contour& line : lines) coverage_.add(line);
            coverage_.finish(layer_);
            fill(canvas_, layer_, coverage_.touched(), pencil, pass == 0 ? 0.75F : 0.45F);
        }
    }
}

void Painter::paint_cover(const Cover& cover, const Scene& scene) {
    std::vector<Contour> pieces;
    const std::array<Vec2, 2> line = {cover.from, cover.to};
    stroke(line, cover.width, pieces);
    coverage_.begin(canvas_.width, canvas_.height);
    for (const Contour& piece : pieces) coverage_.add(piece);
    coverage_.finish(layer_);
    const PixelBox box = coverage_.touched();
    unite(over_, layer_, box);
    const Vec2 d = cover.to - cover.from;
    const float l = std::max(length(d), 1.0F);
    const Vec2 across{-d.y / l, d.x / l};
    for (int y = box.y0; y < box.y1; ++y) {
        for (int x = box.x0; x < box.x1; ++x) {
            const float share = layer_.at(x, y);
            if (share <= 0) continue;
            const Vec2 q =
                Vec2{static_cast<float>(x) + 0.5F, static_cast<float>(y) + 0.5F} - cover.from;
            const float side = 2 * (q.x * across.x + q.y * across.y) / cover.width;
            const float lit =
                0.92F -
                0.3F * side *
                    (across.x * scene.light.from.x + across.y * scene.light.from.y > 0 ? -1.0F
                                                                                       : 1.0F) -
                0.25F * side * side;
            const float grain =
                noise(static_cast<float>(x) * 0.5F, static_cast<float>(y) * 0.13F, scene.seed + 77);
            canvas_.at(x, y) = mix(canvas_.at(x, y),
                                   clamp01((lit + 0.16F * (grain - 0.5F)) * cover.colour), share);
        }
    }
}

void Painter::shine(const Scene& scene) {
    const Light& light = scene.light;
    const float w = static_cast<float>(canvas_.width), h = static_cast<float>(canvas_.height);
    for (int y = 0; y < canvas_.height; ++y) {
        for (int x = 0; x < canvas_.width; ++x) {
            const float u = (static_cast<float>(x) + 0.5F) / w - 0.5F,
                        v = (static_cast<float>(y) + 0.5F) / h - 0.5F;
            const float here = light.gain * (1 + light.slope.x * u + light.slope.y * v) *
                               (1 - light.vignette * 2 * (u * u + v * v));
            Colour& c = canvas_.at(x, y);
            const auto apply = [&](float value, float tint) {
                return ((value - 0.5F) * light.contrast + 0.5F) * here * tint;
            };
            c = {apply(c.r, light.tint.r), apply(c.g, light.tint.g), apply(c.b, light.tint.b)};
        }
    }
    blur(canvas_, scene.blur, spare_);
    if (scene.noise <= 0) return;
    for (int y = 0; y < canvas_.height; ++y) {
        for (int x = 0; x < canvas_.width; ++x) {
            // Four bytes of one hash: two give the gray part, and one each is for red and blue.
            const std::uint32_t bits = hash_cell(x, y, scene.seed ^ 0x5bd1e995U);
            const auto byte = [&](int k) {
                return static_cast<float>(bits >> (8 * k) & 255U) / 255.0F - 0.5F;
            };
            const float grey = 2.0F * (byte(0) + byte(1));
            Colour& c = canvas_.at(x, y);
            c = c + scene.noise *
                        Colour{grey + byte(2), grey - 0.3F * (byte(2) + byte(3)), grey + byte(3)};
        }
    }
}

void Painter::look() {
    for (std::size_t i = seen_.size(); i-- > 0;) {
        Seen& seen = seen_[i];
        const Mask& mask = masks_[i];
        seen = {.box = half_covered(mask)};
        for (std::size_t k = 0; k < mask.value.size(); ++k) {
            seen.area += mask.value[k];
            seen.hidden += mask.value[k] * over_.value[k];
            over_.value[k] += mask.value[k] * (1 - over_.value[k]);
        }
    }
}

void Painter::paint(const Scene& scene, Image& out) {
    canvas_.reset(scene.width, scene.height);
    object_.reset(scene.width, scene.height);
    layer_.reset(scene.width, scene.height);
    over_.reset(scene.width, scene.height);
    if (masks_.size() < scene.things.size()) masks_.resize(scene.things.size());
    seen_.resize(scene.things.size());
    const bool on_paper = scene.style == Style::sketch || scene.style == Style::silhouette;
    if (on_paper) {
        const Colour paper = scene.style == Style::sketch ? rgb(0xF6F2E8) : rgb(0xFFFFFF);
        canvas_.reset(scene.width, scene.height, paper);
    } else if (scene.plain) {
        paint_plain(scene.place_seed, canvas_);
    } else {
        paint_place(scene.place, scene.place_seed, canvas_);
    }
    for (std::size_t i = 0; i < scene.things.size(); ++i) {
        masks_[i].reset(scene.width, scene.height);
        if (scene.style == Style::sketch) {
            sketch_thing(scene.things[i], masks_[i]);
        } else {
            paint_thing(scene.things[i], scene, masks_[i]);
        }
    }
    for (const Cover& cover : scene.covers) paint_cover(cover, scene);
    look();
    if (scene.style == Style::silhouette) {
        canvas_.reset(scene.width, scene.height, rgb(0xFFFFFF));
        for (std::size_t i = 0; i < scene.things.size(); ++i)
            fill(canvas_, masks_[i], canvas_.box(), {});
    } else if (scene.style != Style::photo) {
        stylise(scene.style, scene.seed, over_, canvas_, spare_);
    }
    if (scene.style != Style::silhouette) shine(scene);
    to_image(canvas_, out);
}

}  // namespace assay::world
