// Computes the proportion of each pixel inside a polygon. Areas are exact, so edges are antialiased
// without oversampling.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "demo/world/maths.h"

namespace assay::world {

/// A rectangle of pixels without its far edges.
struct PixelBox {
    int x0 = 0, y0 = 0, x1 = 0, y1 = 0;
    bool empty() const { return x0 >= x1 || y0 >= y1; }
    int width() const { return x1 - x0; }
    int height() const { return y1 - y0; }
};
PixelBox cut(PixelBox a, PixelBox b);
PixelBox hull(PixelBox a, PixelBox b);

/// One value per pixel of a canvas.
struct Mask {
    int width = 0, height = 0;
    std::vector<float> value;
    void reset(int w, int h) {
        width = w;
        height = h;
        value.assign(static_cast<std::size_t>(w) * static_cast<std::size_t>(h), 0.0F);
    }
    std::size_t index(int x, int y) const {
        return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
               static_cast<std::size_t>(x);
    }
    float& at(int x, int y) { return value[index(x, y)]; }
    float at(int x, int y) const { return value[index(x, y)]; }
};

/// A closed outline in pixel coordinates (pixel (0, 0) covers [0, 1] x [0, 1]).
using Contour = std::vector<Vec2>;

/// Twice the signed area, which is positive for clockwise outlines on a y-down screen.
float doubled_area(std::span<const Vec2> contour);

/// Adds outlines and then computes coverage: |sum of signed areas|, clipped to 1. Outlines with the
/// same direction are united. An outline with the opposite direction is a hole.
class Coverage {
public:
    void begin(int width, int height);
    void add(std::span<const Vec2> contour);
    /// The pixels that may be covered.
    PixelBox touched() const;
    /// Writes coverage over touched() into `out`, a mask of the canvas's size. Other pixels are not
    /// written.
    void finish(Mask& out);

private:
    void add_edge(Vec2 a, Vec2 b);
    int width_ = 0, height_ = 0;
    int y0_ = 0, y1_ = 0;
    float x0_ = 0, x1_ = 0;
    std::vector<float> area_;  // (width + 2) per row
};

/// Converts a line with round ends to outlines, with one capsule per segment.
void stroke(std::span<const Vec2> line, float width, std::vector<Contour>& out);

}  // namespace assay::world
