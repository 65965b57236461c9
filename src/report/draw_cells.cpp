// Plots of cells: a color and a text for each row and column.
#include <algorithm>
#include <cmath>
#include <map>

#include "report/draw_panel.h"
#include "report/draw_ranges.h"
#include "report/draw_text.h"

namespace assay {
namespace {

constexpr Colour black{0, 0, 0}, white{1, 1, 1};

Colour blended(const Colour& from, const Colour& to, double part) {
    const auto one = [part](double a, double b) { return a + part * (b - a); };
    return {one(from.red, to.red), one(from.green, to.green), one(from.blue, to.blue)};
}

/// Relative luminance as WCAG 2 defines it, from 0 (black) to 1 (white).
double luminance(const Colour& colour) {
    const auto linear = [](double part) {
        return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(colour.red) + 0.7152 * linear(colour.green) +
           0.0722 * linear(colour.blue);
}

class Cells {
public:
    Cells(Canvas& canvas, const PlotSheet& sheet, const PlotPanel& panel, bool dark)
        : canvas_(canvas),
          panel_(panel),
          plot_(*panel.plot),
          theme_(theme_of(dark)),
          font_(sheet.font),
          dark_(dark) {
        for (std::size_t i = 0; i < panel.categories.size(); ++i) rows_[panel.categories[i]] = i;
    }

    void draw() {
        const double size = text_size();
        for (std::size_t column = 0; column < plot_.series.size(); ++column)
            for (const Point& point : plot_.series[column].points) cell(point, column, size);
        canvas_.outline(panel_.frame, {.colour = theme_.axis, .width = 0.6});
        names();
    }

private:
    double cell_width() const { return panel_.column_width(); }
    double cell_height() const { return panel_.row_height(); }

    /// One size for all cells, so that their numbers are easy to compare.
    double text_size() const {
        double widest = 0;
        for (const Series& series : plot_.series)
            for (const Point& point : series.points)
                widest = std::max(widest, canvas_.text_width(plot_text(point.label), font_));
        const double size = std::min(font_, 0.66 * cell_height());
        return widest * size <= 0.9 * cell_width() * font_ ? size
                                                           : 0.9 * cell_width() * font_ / widest;
    }

    void cell(const Point& point, std::size_t column, double size) {
        const auto* name = std::get_if<std::string>(&point.x);
        const auto row = name == nullptr ? rows_.end() : rows_.find(*name);
        if (row == rows_.end()) return;
        const double left = panel_.frame.left + static_cast<double>(column) * cell_width();
        const double middle = panel_.row_centre(row->second);
        const Box2d box{left, middle - cell_height() / 2, left + cell_width(),
                        middle + cell_height() / 2};
        const bool known = point.y.value && is_drawable(*point.y.value);
        const double value = known ? std::clamp(*point.y.value, -1.0, 1.0) : 0;
        const Colour colour = cell_colour(value, dark_);
        if (value != 0) canvas_.fill(box, colour);
        canvas_.outline(box, {.colour = theme_.grid, .width = 0.4});
        const std::string text = known ? plot_text(point.label) : "–";
        canvas_.text(text, {(box.left + box.right) / 2, middle}, size,
                     known ? text_colour_on(colour) : theme_.faint, TextAlign::middle);
    }

    void names() {
        const Box2d& f = panel_.frame;
        const double away = 0.5 * font_;
        double size = std::min(font_, 0.9 * cell_height());
        for (std::size_t i = 0; i < panel_.categories.size(); ++i) {
            const std::string name =
                canvas_.fitted(plot_text(panel_.categories[i]), size, panel_.category_room + 0.1);
            canvas_.text(name, {f.left - away, panel_.row_centre(i)}, size, theme_.text,
                         TextAlign::end);
        }
        const bool upwards = panel_.names_upwards;
        size = upwards ? std::min(font_, 0.9 * cell_width()) : font_;
        const double room = upwards ? panel_.column_room + 0.1 : cell_width();
        for (std::size_t i = 0; i < plot_.series.size(); ++i) {
            const std::string name = canvas_.fitted(plot_text(plot_.series[i].name), size, room);
            const double x = f.left + (static_cast<double>(i) + 0.5) * cell_width();
            const double y = f.bottom + (upwards ? away : font_);
            canvas_.text(name, {x, y}, size, theme_.text,
                         upwards ? TextAlign::end : TextAlign::middle, upwards);
        }
    }

    Canvas& canvas_;
    const PlotPanel& panel_;
    const Plot& plot_;
    Theme theme_;
    double font_;
    bool dark_;
    std::map<std::string, std::size_t> rows_;
};

}  // namespace

Colour cell_colour(double value, bool dark) {
    return blended(theme_of(dark).paper, style_of(value < 0 ? 1 : 0, dark).colour, std::abs(value));
}

Colour text_colour_on(const Colour& background) {
    constexpr double flare = 0.05;  // constant in the contrast of WCAG 2
    const double back = luminance(background) + flare;
    return (1 + flare) / back > back / flare ? white : black;
}

void draw_cells(Canvas& canvas, const PlotSheet& sheet, const PlotPanel& panel, bool dark) {
    Cells(canvas, sheet, panel, dark).draw();
}

void draw_cell_scale(Canvas& canvas, const PlotSheet& sheet, bool dark) {
    if (!sheet.cell_scale) return;
    const Theme theme = theme_of(dark);
    const Box2d& box = *sheet.cell_scale;
    constexpr int steps = 50;
    for (int i = 0; i < steps; ++i) {
        const double left = box.left + box.width() * i / steps;
        const double part = (i + 0.5) / steps;
        // Extends to the end, so that no paper is visible between two steps.
        canvas.fill({left, box.top, box.right, box.bottom},
                    cell_colour(sheet.cell_scale_signed ? 2 * part - 1 : part, dark));
    }
    canvas.outline(box, {.colour = theme.axis, .width = 0.4});
    const double middle = (box.top + box.bottom) / 2, away = 0.4 * sheet.font;
    canvas.text(sheet.cell_scale_signed ? "−1" : "0", {box.left - away, middle}, sheet.font,
                theme.text, TextAlign::end);
    canvas.text(std::string(sheet.cell_scale_end), {box.right + away, middle}, sheet.font,
                theme.text);
}

}  // namespace assay
