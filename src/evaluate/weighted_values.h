// Metrics of images that do not count the same.
//
// A weight says how much an image counts, such as one divided by the probability with which it was
// drawn. Only ratios of weights matter. A metric is a function of the weighted distribution of the
// images. An image's influence on it is a number whose weighted mean is 0 (Deville 1999, Survey
// Methodology 25). python/assay/_weighted.py has the same for scores in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/estimate.h"
#include "assay/metric/metric.h"

namespace assay::evaluate {

/// An image that counts: it has a single label, scores and a weight.
struct WeightedImage {
    double weight = 0;  ///< above 0; the weights of all images sum to 1
    double loss = 0;    ///< -ln p(label)
    double brier = 0;   ///< squared distance of the probabilities from the label's
    std::int32_t label = -1;
    std::int32_t predicted = -1;  ///< -1: no class
    std::int32_t rank = -1;       ///< of the label; -1: not among the stored classes
    float confidence = 0;
};

/// With fewer effective images than this, there is no interval.
inline constexpr double fewest_effective_images = 50;
/// (sum w)^2 / sum w^2 (Kish 1965): so many images with equal weights have the same variance.
double effective_images(std::span<const WeightedImage> images);

/// Whether a metric is measured with weights. The others count images, such as those in a bin.
bool has_weighted_form(const MetricRequest& request);
/// "top1, topk, nll, ...": for messages.
std::string weighted_metrics();

/// The value with its standard error and interval. `request` has a weighted form and a value for
/// the same images without weights; `images` is not empty. Proportions have Wilson's interval with
/// the number of images that have the same variance (Korn and Graubard 1998). The interval of the
/// others comes from the value and its standard error. Both use Student's quantile with
/// Satterthwaite's degrees of freedom. Undefined if all labels and predictions are one class
/// (kappa). Cost: one pass over `images`, and over the classes. Same bits on any machine.
Estimate weighted_value(const MetricRequest& request, std::span<const WeightedImage> images,
                        std::size_t classes, double level);

}  // namespace assay::evaluate
