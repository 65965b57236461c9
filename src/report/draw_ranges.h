// What the axes of plots have to hold.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "assay/report.h"
#include "report/draw_axes.h"

namespace assay {

/// As it stands on an axis: proportions in percent.
double shown_value(double value, Unit unit);
/// Of the first point's value; all points of a plot have one unit.
Unit value_unit(const Plot& plot);
/// "top-1 accuracy (%)"; of numbers as it is.
std::string axis_title(const std::string& title, Unit unit);

/// Names in the order of their first appearance; none: x is a number.
std::vector<std::string> categories_of(const Plot& plot);
bool has_a_value(const Plot& plot);

struct PlotRanges {
    AxisRange x, y;
};
/// Of all of them together.
PlotRanges ranges_of(std::span<const Plot> plots);

}  // namespace assay
