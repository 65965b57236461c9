#include "report/draw_theme.h"

#include <array>
#include <cstdint>

namespace assay {
namespace {

constexpr Colour rgb(std::uint32_t hex) {
    return {.red = (hex >> 16 & 255) / 255.0,
            .green = (hex >> 8 & 255) / 255.0,
            .blue = (hex & 255) / 255.0};
}

// Okabe and Ito 2008: people with any color vision can distinguish them. Each background uses the
// ones that are clearly visible on it.
constexpr std::array<Colour, 7> on_light = {rgb(0x0072b2), rgb(0xd55e00), rgb(0x009e73),
                                            rgb(0xcc79a7), rgb(0xe69f00), rgb(0x56b4e9),
                                            rgb(0x333333)};
constexpr std::array<Colour, 7> on_dark = {rgb(0x56b4e9), rgb(0xe69f00), rgb(0x009e73),
                                           rgb(0xcc79a7), rgb(0xf0e442), rgb(0xd55e00),
                                           rgb(0xdddddd)};
// The number has no common divisor with the number of colors, which gives 56 pairs of color and
// mark.
constexpr std::array<MarkShape, 8> marks = {
    MarkShape::circle, MarkShape::square, MarkShape::triangle, MarkShape::diamond,
    MarkShape::plus,   MarkShape::down,   MarkShape::cross,    MarkShape::hexagon};

}  // namespace

Theme theme_of(bool dark) {
    if (dark) {
        return {.paper = rgb(0x14171c),
                .text = rgb(0xe8e8e8),
                .axis = rgb(0x9aa0a8),
                .grid = rgb(0x2b3038),
                .faint = rgb(0x70767e)};
    }
    return {.paper = rgb(0xffffff),
            .text = rgb(0x1a1a1a),
            .axis = rgb(0x555555),
            .grid = rgb(0xe4e4e4),
            .faint = rgb(0x8a8a8a)};
}

SeriesStyle style_of(std::size_t index, bool dark) {
    return {.colour = (dark ? on_dark : on_light)[index % on_light.size()],
            .mark = marks[index % marks.size()]};
}

}  // namespace assay
