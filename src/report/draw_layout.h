// The positions of all elements on a sheet of plots.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/report/draw.h"
#include "report/draw_axes.h"
#include "report/draw_canvas.h"

namespace assay {

/// The width of a text in points at a size.
using TextMeasure = std::function<double(const std::string&, double)>;

struct PlotPanel {
    const Plot* plot = nullptr;
    Box2d frame;
    /// Scales for numbers. If x is a category, each category has its own row, and values run
    /// across.
    AxisScale across, up;
    AxisTicks across_ticks, up_ticks;
    std::vector<std::string> categories;  ///< whole names, downwards
    bool across_texts = true, up_texts = true;
    double category_room = 0;    ///< space left of the frame
    double column_room = 0;      ///< space below the frame, for names of columns of cells
    bool names_upwards = false;  ///< for columns: their names are wider than their cells
    double row_height() const;
    double column_width() const;  ///< of cells
    double row_centre(std::size_t category) const;
};

struct SheetText {
    std::string text;
    Place place;
    TextAlign align = TextAlign::middle;
    bool upwards = false;
    double room = 0;  ///< the text is shortened to this width
};

struct LegendItem {
    std::size_t series = 0;  ///< index in PlotSheet::series
    std::string text;
    Place place;  ///< the left end of the sample
    double sample = 0;
    bool joined = false, marked = true;
};

struct PlotSheet {
    double width = 0, height = 0, font = 8;  ///< points
    std::vector<PlotPanel> panels;
    std::vector<std::string> series;  ///< names, in the order of their styles
    std::vector<LegendItem> legend;   ///< empty for a single series, which needs none
    std::vector<SheetText> texts;     ///< titles
    std::optional<Box2d> cell_scale;  ///< the color scale of cells
    std::string_view cell_scale_end;  ///< text at its end, at 1
    bool cell_scale_signed = false;   ///< begins at -1
    std::size_t series_of(std::string_view name) const;
};

/// The plots must stay at the same address as long as the sheet is used. Throws usage as draw()
/// does.
PlotSheet lay_out(std::span<const Plot> plots, const DrawOptions& options,
                  const TextMeasure& measure);

/// Places `names` in lines from `top` downward; returns the height of the lines.
double lay_out_legend(PlotSheet& sheet, std::span<const Plot> plots, double left, double top,
                      double width, const TextMeasure& measure);

}  // namespace assay
