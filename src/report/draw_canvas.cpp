#include "report/draw_canvas.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "assay/error.h"
#include "report/draw_text.h"

namespace assay {
namespace {

constexpr double pi = std::numbers::pi;

std::vector<Place> polygon(Place centre, int corners, double size, double turn) {
    std::vector<Place> places;
    for (int i = 0; i < corners; ++i) {
        const double angle = turn + 2 * pi * i / corners;
        places.emplace_back(centre.first + size * std::sin(angle),
                            centre.second - size * std::cos(angle));
    }
    return places;
}

/// Draws two crossed bars.
std::vector<Place> bars(Place centre, double r, double turn) {
    const double arm = 1.25 * r, half = 0.38 * r;
    const double corners[12][2] = {{-half, -arm}, {half, -arm}, {half, -half}, {arm, -half},
                                   {arm, half},   {half, half}, {half, arm},   {-half, arm},
                                   {-half, half}, {-arm, half}, {-arm, -half}, {-half, -half}};
    std::vector<Place> places;
    for (const auto& [u, v] : corners) {
        places.emplace_back(centre.first + u * std::cos(turn) - v * std::sin(turn),
                            centre.second + u * std::sin(turn) + v * std::cos(turn));
    }
    return places;
}

}  // namespace

std::vector<Place> corners_of(MarkShape shape, Place centre, double r) {
    switch (shape) {
        case MarkShape::circle:
            return {};
        case MarkShape::square:
            return polygon(centre, 4, 1.25 * r, pi / 4);
        case MarkShape::diamond:
            return polygon(centre, 4, 1.3 * r, 0);
        case MarkShape::triangle:
            return polygon(centre, 3, 1.4 * r, 0);
        case MarkShape::down:
            return polygon(centre, 3, 1.4 * r, pi);
        case MarkShape::hexagon:
            return polygon(centre, 6, 1.1 * r, 0);
        case MarkShape::plus:
            return bars(centre, r, 0);
        case MarkShape::cross:
            return bars(centre, r, pi / 4);
    }
    return {};
}

std::string Canvas::fitted(std::string text, double size, double width) {
    while (text_width(text, size) > width) {
        std::string shorter = one_shorter(text);
        if (shorter.size() >= text.size() && shorter == one_shorter(shorter)) return shorter;
        text = std::move(shorter);
    }
    return text;
}

std::unique_ptr<Canvas> open_canvas(PlotFormat format, double width, double height, int dpi) {
#ifdef ASSAY_CAIRO
    return cairo_canvas(format, width, height, dpi);
#else
    static_cast<void>(dpi);
    if (format != PlotFormat::svg)
        throw Error(ErrorCode::usage, fmt::format("this build of Assay cannot write .{}: use .svg, "
                                                  "which browsers and Inkscape can convert",
                                                  name_of(format)));
    return svg_canvas(width, height);
#endif
}

}  // namespace assay
