// Computes the interval of a mean over classes. Every class's proportion has the same weight,
// however few images the class has.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "assay/metric/measurement.h"

namespace assay {

/// A class that has images.
struct ClassHits {
    double images = 0, hits = 0;  ///< may be fractional
};

/// The images of one class, or of several joined classes.
struct ClassCell {
    double weight = 0;  ///< weight of the cell's proportion in the mean
    double images = 0;  ///< the number of images with the same information, if each class has the
                        ///< same weight (Kish 1965)
    double hits = 0;    ///< hits among these images; may be fractional
    /// The proportion of the cell's images that are known: 1 leaves no uncertainty, 0 is a sample
    /// from a very large number.
    double sampled = 0;
    std::size_t end = 0;  ///< of joined_cells(): the place behind the last class that it holds
};

/// Joins classes in their order until a cell contains at least five images. Remaining classes at
/// the end join the last cell. A class with one image has no variance by itself.
std::vector<ClassCell> joined_cells(std::span<const ClassHits> classes);

/// Score interval of the sum of weight times proportion. It has all sums t = sum of w p with
///   (found sum - t)^2 <= z^2 sum of w^2 p (1 - p) (1 - sampled) / (images - 1).
/// Here the p of the cells are the likeliest proportions with that sum. The interval is inside [0,
/// 1] and has a width above 0 unless every cell is known completely. For one cell it is Wilson's
/// with one image fewer. `cells` must not be empty, and the weights sum to 1. Cost: 2.5 us per
/// cell.
Interval cell_interval(std::span<const ClassCell> cells, double level);
/// The same with a `quantile` that may differ from the level's quantile.
Interval cell_interval(std::span<const ClassCell> cells, double quantile, double level);

}  // namespace assay
