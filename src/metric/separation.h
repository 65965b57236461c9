// How well one number tells two samples apart, such as images of the distribution that a classifier
// was trained on from others.
#pragma once

#include <span>
#include <vector>

#include "assay/estimate.h"

namespace assay {

struct Separation {
    /// The chance that a number of the first sample exceeds one of the second; ties count half.
    /// Interval: that of class_curves.h for one class, by the two samples' components (DeLong,
    /// DeLong and Clarke-Pearson 1988).
    Estimate auroc;
    /// With the greatest threshold that at least 95 % of the first sample reach: the proportion of
    /// the second that reach it, too. Interval: Wilson's at that threshold, joined with how far the
    /// proportion moves over the interval of the threshold's rank, each end by the root of the sum
    /// of squares (MOVER: Zou and Donner 2008); where numbers of the first tie at the threshold, by
    /// their sum.
    Estimate false_positives;
};
/// Numbers may be infinite but not NaN, in any order. Undefined where a sample is empty.
Separation separation(std::vector<double> first, std::vector<double> second, double level);

}  // namespace assay
