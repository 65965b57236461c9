#include "report/draw_panel.h"

#include <algorithm>

#include "report/draw_ranges.h"
#include "report/draw_text.h"

namespace assay {
namespace {

constexpr double thin = 0.5;

class Panel {
public:
    Panel(Canvas& canvas, const PlotSheet& sheet, const PlotPanel& panel, bool dark)
        : canvas_(canvas), panel_(panel), theme_(theme_of(dark)), font_(sheet.font) {}

    void draw() {
        grid();
        references();
        axes();
        texts();
        if (!has_a_value(*panel_.plot)) nothing();
    }

private:
    bool has_rows() const { return !panel_.categories.empty(); }

    void grid() {
        const Box2d& f = panel_.frame;
        const Stroke stroke{.colour = theme_.grid, .width = thin};
        for (const double value : panel_.across_ticks.at) {
            const double x = panel_.across.at(value);
            canvas_.line({{x, f.top}, {x, f.bottom}}, stroke);
        }
        if (has_rows()) return;
        for (const double value : panel_.up_ticks.at) {
            const double y = panel_.up.at(value);
            canvas_.line({{f.left, y}, {f.right, y}}, stroke);
        }
    }

    /// Reference lines for the marks: no difference, or y = x.
    void references() {
        const Box2d& f = panel_.frame;
        const AxisRange& range = panel_.across.range;
        if (has_rows() && range.low < 0 && range.high > 0) {
            const double x = panel_.across.at(0);
            canvas_.line({{x, f.top}, {x, f.bottom}}, {.colour = theme_.axis, .width = thin});
        }
        if (panel_.plot->equal && !has_rows()) {
            canvas_.line({{panel_.across.at(range.low), panel_.up.at(range.low)},
                          {panel_.across.at(range.high), panel_.up.at(range.high)}},
                         {.colour = theme_.faint, .width = 0.75, .dashed = true});
        }
    }

    void axes() {
        const Box2d& f = panel_.frame;
        const Stroke stroke{.colour = theme_.axis, .width = 0.6};
        const double tick = 0.25 * font_;
        canvas_.line({{f.left, f.top}, {f.left, f.bottom}, {f.right, f.bottom}}, stroke);
        for (const double value : panel_.across_ticks.at) {
            const double x = panel_.across.at(value);
            canvas_.line({{x, f.bottom}, {x, f.bottom + tick}}, stroke);
        }
        if (has_rows()) return;
        for (const double value : panel_.up_ticks.at) {
            const double y = panel_.up.at(value);
            canvas_.line({{f.left - tick, y}, {f.left, y}}, stroke);
        }
    }

    void texts() {
        const Box2d& f = panel_.frame;
        if (panel_.across_texts) {
            for (std::size_t i = 0; i < panel_.across_ticks.at.size(); ++i) {
                canvas_.text(panel_.across_ticks.texts[i],
                             {panel_.across.at(panel_.across_ticks.at[i]), f.bottom + font_}, font_,
                             theme_.text, TextAlign::middle);
            }
        }
        if (!panel_.up_texts) return;
        const double right = f.left - 0.5 * font_;
        for (std::size_t i = 0; i < panel_.up_ticks.at.size(); ++i) {
            canvas_.text(panel_.up_ticks.texts[i], {right, panel_.up.at(panel_.up_ticks.at[i])},
                         font_, theme_.text, TextAlign::end);
        }
        const double size = std::min(font_, 0.9 * panel_.row_height());
        for (std::size_t i = 0; i < panel_.categories.size(); ++i) {
            canvas_.text(
                canvas_.fitted(plot_text(panel_.categories[i]), size, panel_.category_room + 0.1),
                {right, panel_.row_centre(i)}, size, theme_.text, TextAlign::end);
        }
    }

    void nothing() {
        const Box2d& f = panel_.frame;
        canvas_.text(canvas_.fitted("no value to draw", font_, f.width()),
                     {(f.left + f.right) / 2, (f.top + f.bottom) / 2}, font_, theme_.faint,
                     TextAlign::middle);
    }

    Canvas& canvas_;
    const PlotPanel& panel_;
    Theme theme_;
    double font_;
};

}  // namespace

void draw_panel(Canvas& canvas, const PlotSheet& sheet, const PlotPanel& panel, bool dark) {
    if (panel.plot->kind == Plot::Kind::cells && has_a_value(*panel.plot))
        return draw_cells(canvas, sheet, panel, dark);
    Panel(canvas, sheet, panel, dark).draw();
    draw_marks(canvas, sheet, panel, dark);
}

}  // namespace assay
