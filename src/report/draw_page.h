// The page of a figure, and the width of its texts.
#pragma once

#include <memory>

#include "report/draw_canvas.h"
#include "report/draw_layout.h"

namespace assay {

/// Measures texts before there is a page.
TextMeasure text_ruler(const DrawOptions& options);
/// An empty page with its background; sizes in points. Throws usage for a png that is too large.
std::unique_ptr<Canvas> open_page(PlotFormat format, double width, double height,
                                  const DrawOptions& options);

}  // namespace assay
