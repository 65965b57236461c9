// A page to draw on, in points from its upper left corner, and its bytes as a file.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "assay/report/draw.h"
#include "report/draw_theme.h"

namespace assay {

/// All lengths are in points (1/72 inch).
struct Box2d {
    double left = 0, top = 0, right = 0, bottom = 0;
    double width() const { return right - left; }
    double height() const { return bottom - top; }
    bool operator==(const Box2d&) const = default;
};
using Place = std::pair<double, double>;

enum class TextAlign { start, middle, end };

struct Stroke {
    Colour colour;
    double width = 0.75;
    bool dashed = false;
    double opacity = 1;
};

class Canvas {
public:
    Canvas() = default;
    virtual ~Canvas() = default;
    Canvas(const Canvas&) = delete;
    Canvas& operator=(const Canvas&) = delete;

    virtual void fill(const Box2d& box, const Colour& colour, double opacity = 1) = 0;
    virtual void outline(const Box2d& box, const Stroke& stroke) = 0;
    virtual void line(const std::vector<Place>& places, const Stroke& stroke) = 0;
    /// `radius` is the radius of a circle with about the same area.
    virtual void mark(MarkShape shape, Place centre, double radius, const Colour& colour,
                      double opacity = 1) = 0;
    /// `text` must come from plot_text(); `place` is the start, middle or end of its line, at half
    /// the height of the letters. `upwards` means rotated by a quarter turn to the left.
    virtual void text(const std::string& text, Place place, double size, const Colour& colour,
                      TextAlign align = TextAlign::start, bool upwards = false) = 0;
    /// The result is the same for any page size and format.
    virtual double text_width(const std::string& text, double size) = 0;
    /// Returns the text, shortened to this width.
    std::string fitted(std::string text, double size, double width);

    virtual void clip(const Box2d& box) = 0;
    virtual void unclip() = 0;

    /// Returns the file. Nothing may be drawn afterwards.
    virtual std::string finish() = 0;
};

/// Throws Error(usage) for a format that this build does not draw.
std::unique_ptr<Canvas> open_canvas(PlotFormat format, double width, double height, int dpi);
/// A canvas that uses Cairo, for any format.
std::unique_ptr<Canvas> cairo_canvas(PlotFormat format, double width, double height, int dpi);
/// Writes SVG whose texts the viewer draws, so no library or font is needed.
std::unique_ptr<Canvas> svg_canvas(double width, double height);

inline constexpr const char* plot_font = "DejaVu Sans";
/// The distance from the middle of a letter to its bottom, relative to the font size: a capital is
/// 0.73 high.
inline constexpr double half_of_letters = 0.36;

/// The corners of a mark in order. A circle has no corners.
std::vector<Place> corners_of(MarkShape shape, Place centre, double radius);

}  // namespace assay
