// The interval of a mean over classes: of proportions that all count the same, however few images
// a class has.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "assay/metric/measurement.h"

namespace assay {

/// A class with images.
struct ClassHits {
    double images = 0, hits = 0;  ///< need not be whole
    double weight = 1;            ///< in the mean; above 0
};

/// The images of classes that are joined, or of one.
struct ClassCell {
    double weight = 0;  ///< of the cell's proportion in the mean
    double images = 0;  ///< as many as tell as much, where each class counts the same (Kish 1965)
    double hits = 0;    ///< of these images; need not be whole
    /// Proportion of the cell's images that are known: 1 leaves nothing uncertain, 0 is a sample of
    /// very many.
    double sampled = 0;
    std::size_t end = 0;  ///< of joined_cells(): the place behind the last class that it holds
};

/// Joins classes in their order until a cell holds at least five images. What is left over at the
/// end joins the last cell. A class of one image has no variance by itself.
std::vector<ClassCell> joined_cells(std::span<const ClassHits> classes);

/// Score interval of the sum of weight times proportion: all sums t = sum of w p with
///   (found sum - t)^2 <= z^2 sum of w^2 p (1 - p) (1 - sampled) / (images - 1),
/// where p of each cell are the likeliest proportions with that sum. Inside [0, 1], never without
/// width unless every cell is known whole. Of one cell it is Wilson's with one image fewer.
/// `cells`: not empty, weights of sum 1. Cost: 2.5 us for each cell.
Interval cell_interval(std::span<const ClassCell> cells, double level);
/// With a `quantile` that may be another one than the level's.
Interval cell_interval(std::span<const ClassCell> cells, double quantile, double level);

}  // namespace assay
