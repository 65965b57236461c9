// A page to draw on, in points from its upper left corner, and its bytes as a file.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "assay/report/draw.h"
#include "report/draw_theme.h"

namespace assay {

/// All lengths in points (1/72 inch).
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
    Canvas(PlotFormat format, double width, double height, int dpi);
    ~Canvas();
    Canvas(const Canvas&) = delete;
    Canvas& operator=(const Canvas&) = delete;

    void fill(const Box2d& box, const Colour& colour, double opacity = 1);
    void outline(const Box2d& box, const Stroke& stroke);
    void line(const std::vector<Place>& places, const Stroke& stroke);
    /// `radius` of a circle of the same area, about.
    void mark(MarkShape shape, Place centre, double radius, const Colour& colour,
              double opacity = 1);
    /// `text` is of plot_text(); `place` is where its line has its start, middle or end, half way
    /// up the letters. `upwards`: turned by a quarter to the left.
    void text(const std::string& text, Place place, double size, const Colour& colour,
              TextAlign align = TextAlign::start, bool upwards = false);
    /// The same for any size of page and any format.
    double text_width(const std::string& text, double size);
    /// The text, cut so that it is no wider.
    std::string fitted(std::string text, double size, double width);

    void clip(const Box2d& box);
    void unclip();

    /// The file; nothing may be drawn afterwards.
    std::string finish();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace assay
