// The ranges that the axes of plots must cover.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "assay/report.h"
#include "report/draw_axes.h"

namespace assay {

/// The number on an axis: proportions are in percent.
double shown_value(double value, Unit unit);
/// The unit of the first point's value; all points of a plot have the same unit.
Unit value_unit(const Plot& plot);
/// Returns a title such as "top-1 accuracy (%)". It is unchanged for numbers.
std::string axis_title(const std::string& title, Unit unit);

/// Names in the order of their first appearance; empty if x is a number.
std::vector<std::string> categories_of(const Plot& plot);
bool has_a_value(const Plot& plot);

struct PlotRanges {
    AxisRange x, y;
};
/// The ranges over all plots together.
PlotRanges ranges_of(std::span<const Plot> plots);

}  // namespace assay
