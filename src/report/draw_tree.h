// The layout of a figure of ways through a hierarchy: boxes in layers, and lines between them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "assay/report/distance_tree.h"
#include "report/draw_canvas.h"
#include "report/draw_layout.h"

namespace assay {

/// A text that starts at `place`, at half the height of its letters, and is `width` points wide.
struct TreeText {
    std::string text;
    Place place;
    double width = 0;
};
/// The positions of all elements, in points. `boxes` and `names` have an entry for each node, and
/// `lines` and `labels` for each edge. A name is in its box. Boxes, labels and the legend do not
/// overlap, and no line crosses them.
struct TreeSheet {
    double width = 0, height = 0, font = 8;
    std::vector<Box2d> boxes;
    std::vector<TreeText> names;
    std::vector<std::vector<Place>> lines;  ///< from the upper to the lower box
    std::vector<TreeText> labels;           ///< right of the lower end of their lines
    std::vector<TreeText> legend;           ///< an entry for each way, below one another
    double sample = 0;                      ///< length of the line left of an entry
};

/// Width of a stroke, points. Paths on the same edge are strokes inside one another, the first is
/// the widest.
double path_width(std::size_t path, std::size_t paths);
/// Puts each node below all of its parents. Names are shortened if the figure is too narrow. Throws
/// usage if the figure has no room. Cost: quadratic in nodes.
TreeSheet lay_out_tree(const DistanceTree& tree, const DrawOptions& options,
                       const TextMeasure& measure);

}  // namespace assay
