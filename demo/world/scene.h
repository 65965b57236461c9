// One image as numbers, and the code that converts them to pixels.
#pragma once

#include <cstdint>
#include <vector>

#include "demo/world/canvas.h"
#include "demo/world/classes.h"
#include "demo/world/shapes.h"

namespace assay::world {

/// The position of a thing in the image.
struct Pose {
    Vec2 centre;        ///< pixels
    float reach = 30;   ///< half of its side in pixels
    float turn = 0;     ///< turns
    bool flip = false;  ///< mirrored left and right
    float squash = 1;   ///< width over height
    float shear = 0, bend = 0;
    float wobble = 0;  ///< deviation of its outline, in its own units (side 2)
};

struct Thing {
    int cls = 0;
    Texture texture = Texture::panels;
    Palette palette;
    Pose pose;
    float texture_scale =
        1;  ///< periods of the texture over half of the object's side, relative to the usual number
    float texture_turn = 0;
    float strength = 1;  ///< factor of the texture's contrast
    std::uint32_t seed = 0;
};

/// An object in front, which is a bar with soft shading.
struct Cover {
    Vec2 from, to;
    float width = 0;
    Colour colour;
};

struct Light {
    float gain = 1, contrast = 1;
    Colour tint{1, 1, 1};
    Vec2 slope;  ///< brightness across the image
    float vignette = 0;
    Vec2 from{-0.5F, -0.8F};  ///< direction of the light
};

enum class Style : std::uint8_t { photo, silhouette, sketch, edges, poster, blocks, mosaic, neon };

struct Scene {
    int width = 96, height = 96;
    bool plain = false;  ///< without a background
    Place place = Place::sky;
    std::uint32_t place_seed = 0;
    std::vector<Thing> things;  ///< later ones are in front
    std::vector<Cover> covers;
    Light light;
    float blur = 0, noise = 0;
    std::uint32_t seed = 0;
    Style style = Style::photo;
};

/// The painter's data about an object after painting.
struct Seen {
    PixelBox box;      ///< box of pixels covered at least half, inside the image;
                       ///< empty if there are none
    float area = 0;    ///< pixels, of which
    float hidden = 0;  ///< proportion that is behind covers and later things
};

/// Paints scenes, and keeps its buffers between them. Use one painter per thread.
class Painter {
public:
    void paint(const Scene& scene, Image& out);
    /// One entry for each thing of the last scene.
    const std::vector<Seen>& seen() const { return seen_; }
    /// The coverage of a thing of the last scene before anything hides it (for tests).
    const Mask& mask(std::size_t thing) const { return masks_.at(thing); }

private:
    void put(const Thing& thing);
    PixelBox cover_layer(std::size_t layer);
    void colour_layer(const Thing& thing, Fill fill, PixelBox box);
    void paint_thing(const Thing& thing, const Scene& scene, Mask& whole);
    void compose(const Thing& thing, const Scene& scene, const Mask& whole, PixelBox box);
    void sketch_thing(const Thing& thing, Mask& whole);
    void paint_cover(const Cover& cover, const Scene& scene);
    void look();
    void shine(const Scene& scene);

    Canvas canvas_, object_, spare_;
    Coverage coverage_;
    Mask layer_, soft_, over_;
    std::vector<Mask> masks_;
    std::vector<Seen> seen_;
    std::vector<std::vector<Contour>> placed_;
    std::vector<float> scratch_;
};

}  // namespace assay::world
