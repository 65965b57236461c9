// One plot in its frame.
#pragma once

#include "report/draw_canvas.h"
#include "report/draw_layout.h"

namespace assay {

/// Axes with their texts, what lies behind the marks, then the marks.
void draw_panel(Canvas& canvas, const PlotSheet& sheet, const PlotPanel& panel, bool dark);

/// The marks, lines and bars of all series.
void draw_marks(Canvas& canvas, const PlotSheet& sheet, const PlotPanel& panel, bool dark);

/// The rows, columns and names of a plot of cells, which has no axes.
void draw_cells(Canvas& canvas, const PlotSheet& sheet, const PlotPanel& panel, bool dark);
/// What the colours of cells mean, if the sheet has any.
void draw_cell_scale(Canvas& canvas, const PlotSheet& sheet, bool dark);
/// Of a share from 0 to 1.
Colour cell_colour(double share, bool dark);
/// Black or white: a contrast of at least 4.5 on any colour.
Colour text_colour_on(const Colour& background);

}  // namespace assay
