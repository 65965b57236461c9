// How well one number separates two samples, such as images from the distribution that a classifier
// was trained on and other images.
#pragma once

#include <span>
#include <vector>

#include "assay/estimate.h"

namespace assay {

struct Separation {
    /// The probability that a number of the first sample exceeds one of the second; ties count
    /// half. The interval is that of class_curves.h for one class, from the two samples' components
    /// (DeLong, DeLong and Clarke-Pearson 1988).
    Estimate auroc;
    /// The proportion of the second sample that reaches the greatest threshold that at least 95 %
    /// of the first sample reach. The interval combines Wilson's at that threshold with the change
    /// of the proportion over the interval of the threshold's rank. Each end combines them by the
    /// root of the sum of squares (MOVER: Zou and Donner 2008). If numbers of the first sample tie
    /// at the threshold, it uses their sum.
    Estimate false_positives;
};
/// Numbers may be infinite but not NaN, in any order. The results are undefined if a sample is
/// empty.
Separation separation(std::vector<double> first, std::vector<double> second, double level);

}  // namespace assay
