// Colors and marks of plots.
#pragma once

#include <cstddef>

namespace assay {

struct Colour {
    double red = 0, green = 0, blue = 0;
};

struct Theme {
    Colour paper, text, axis, grid, faint;
};
Theme theme_of(bool dark);

enum class MarkShape { circle, square, triangle, diamond, plus, down, cross, hexagon };

/// The style that distinguishes a series. `index` starts at 0.
struct SeriesStyle {
    Colour colour;
    MarkShape mark = MarkShape::circle;
};
SeriesStyle style_of(std::size_t index, bool dark);

}  // namespace assay
