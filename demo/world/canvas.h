// An image that is being painted.
#pragma once

#include <vector>

#include "assay/image/image.h"
#include "demo/world/colour.h"
#include "demo/world/coverage.h"

namespace assay::world {

struct Canvas {
    int width = 0, height = 0;
    std::vector<Colour> pixels;
    void reset(int w, int h, Colour fill = {}) {
        width = w;
        height = h;
        pixels.assign(static_cast<std::size_t>(w) * static_cast<std::size_t>(h), fill);
    }
    std::size_t index(int x, int y) const {
        return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
               static_cast<std::size_t>(x);
    }
    Colour& at(int x, int y) { return pixels[index(x, y)]; }
    const Colour& at(int x, int y) const { return pixels[index(x, y)]; }
    PixelBox box() const { return {0, 0, width, height}; }
};

/// Paints a color in the area of the mask, within `box`.
void fill(Canvas& canvas, const Mask& mask, PixelBox box, Colour colour, float strength = 1);

/// Blurs a mask within `box` with two box filters of `radius` pixels. Outside `box` the mask is 0.
void blur(Mask& mask, PixelBox box, int radius, std::vector<float>& scratch);

/// Blurs the whole canvas with `amount` passes of the filter (1 2 1) / 4 in both directions. A
/// fraction of a pass is mixed with the original.
void blur(Canvas& canvas, float amount, Canvas& scratch);

/// Rounds to bytes.
void to_image(const Canvas& canvas, Image& image);

}  // namespace assay::world
