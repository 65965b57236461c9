// Metrics with a weight for each image.
//
// Intervals follow from the influence of each image (weighted_interval.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "assay/estimate.h"
#include "assay/metric/metric.h"
#include "evaluate/weighted_interval.h"

namespace assay::evaluate {

/// An image that counts, because it has a single label, scores and a weight.
struct WeightedImage {
    std::uint64_t row = 0;  ///< of the store
    double weight = 0;      ///< above 0; the weights of all images sum to 1
    double loss = 0;        ///< -ln p(label)
    double brier = 0;       ///< squared distance of the probabilities from the label's
    std::int32_t label = -1;
    std::int32_t predicted = -1;  ///< -1 for no class
    std::int32_t rank = -1;       ///< rank of the label; -1: not among the stored classes
    float confidence = 0;
    float target = 0;  ///< probability of the label
};

/// Whether the metric is computed from these facts of each image.
bool is_of_weighted_images(const MetricRequest& request);

/// The value with its standard error and interval. `request` is_of_weighted_images() and has a
/// value for the same images without weights; `images` is not empty. Undefined if all labels and
/// predictions are one class (kappa). Cost: one pass over `images`, and over the classes. Same bits
/// on any machine.
Estimate weighted_value(const MetricRequest& request, std::span<const WeightedImage> images,
                        std::size_t classes, double level);
/// The value and the influence of each image; nothing, with the reason in `undefined`, if
/// weighted_value() is undefined.
std::optional<Influenced> weighted_influence(const MetricRequest& request,
                                             std::span<const WeightedImage> images,
                                             std::size_t classes, double level,
                                             std::string& undefined);

}  // namespace assay::evaluate
