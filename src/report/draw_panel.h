// One plot in its frame.
#pragma once

#include "report/draw_canvas.h"
#include "report/draw_layout.h"

namespace assay {

/// Draws axes with their texts, the elements behind the marks, then the marks.
void draw_panel(Canvas& canvas, const PlotSheet& sheet, const PlotPanel& panel, bool dark);

/// The marks, lines and bars of all series.
void draw_marks(Canvas& canvas, const PlotSheet& sheet, const PlotPanel& panel, bool dark);

/// The rows, columns and names of a plot of cells, which has no axes.
void draw_cells(Canvas& canvas, const PlotSheet& sheet, const PlotPanel& panel, bool dark);
/// Draws the meaning of the cells' colors, if the sheet has cells.
void draw_cell_scale(Canvas& canvas, const PlotSheet& sheet, bool dark);
/// The color for a value from -1 to 1. Negative values have a hue of their own.
Colour cell_colour(double value, bool dark);
/// Returns black or white, with a contrast of at least 4.5 on any color.
Colour text_colour_on(const Colour& background);

}  // namespace assay
