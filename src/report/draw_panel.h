// One plot in its frame.
#pragma once

#include "report/draw_canvas.h"
#include "report/draw_layout.h"

namespace assay {

/// Axes with their texts, what lies behind the marks, then the marks.
void draw_panel(Canvas& canvas, const PlotSheet& sheet, const PlotPanel& panel, bool dark);

/// The marks, lines and bars of all series.
void draw_marks(Canvas& canvas, const PlotSheet& sheet, const PlotPanel& panel, bool dark);

}  // namespace assay
