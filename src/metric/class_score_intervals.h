// Intervals of precision, recall, F1, Cohen's kappa and Matthews' correlation over several classes.
//
// All are computed from three counts of each class, without draws. None has a width of 0, and none
// is absent: docs/intervals.md shows how often they hold the truth.
#pragma once

#include <span>

#include "assay/estimate.h"
#include "metric/class_mean.h"

namespace assay {

struct ClassScoreCount {
    double items = 0, predictions = 0, hits = 0;
    double others = 0;  ///< number of items of other classes
};

/// Interval of a mean over classes of hits / images, for the mean over the classes that have
/// images. For precision these are the classes that are predicted, and for recall those that have
/// items. Held wide enough for `value`, which may count classes without images as 0. `classes`:
/// some has images.
Interval class_mean_interval(std::span<const ClassHits> classes, double value, double level);

/// Interval of the mean of F1 over the classes that have items. The value 2 hits / (items +
/// predictions) is treated as a proportion of (items + predictions) / 2 images. The reason is that
/// its variance over the images is that of the correct ones among them. F1 of few images is too low
/// on average, so the difference is added. It is computed for the proportion J of hits among a
/// class's items and predictions, which is that of its joined classes. It is exact for up to 60
/// such images, and approximate for more.
Interval f1_mean_interval(std::span<const ClassScoreCount> classes, double value, double level);

/// Interval of a mean over classes that is weighted by their items, from its values without each
/// group of items. It is Wilson's with as many items as the jackknife's standard error stands for,
/// at most `n`. The weights vary with the items, so the intervals above do not hold for it. `n` is
/// above 0.
Interval weighted_mean_interval(double value, std::span<const double> without, double n,
                                double level);

enum class ChanceCorrected { kappa, matthews };
/// Interval of (accuracy - chance) / scale, with Wilson's interval of the accuracy in place of the
/// accuracy. Its number of images is what the delta method's variance stands for, at most all. The
/// variance is that of the counts and one more image, whose label and prediction are independent:
/// it is never 0. Errors are spread over the pairs of classes by the classes' missed items and
/// wrong predictions. `classes`: predictions of no class are one more class without items. -1 to 1
/// where all items or all predictions are one class.
Interval chance_corrected_interval(std::span<const ClassScoreCount> classes, ChanceCorrected which,
                                   double value, double level);

}  // namespace assay
