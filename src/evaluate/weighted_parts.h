// Values of single-label metrics of weighted images, with the influence of each image
// (weighted_interval.h).
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "evaluate/weighted_interval.h"
#include "evaluate/weighted_values.h"

namespace assay::evaluate {

/// `ece`, `binary_ece`, `ece_debiased` and `calibration_ks`: from the confidence of each image. The
/// bins and edges are those without weights. The correction of `ece_debiased` has the variance of a
/// weighted mean: the sum of the squared weights replaces 1 / n. `images` is not empty. Nothing if
/// each bin holds a single image (`ece_debiased`).
std::optional<Influenced> weighted_calibration(const MetricRequest& request,
                                               std::span<const WeightedImage> images);

/// `class_accuracy_balance`, `class_confidence_balance` and `class_balance`. Nothing if all images
/// are of one class, and the standard deviation is that of a sample.
std::optional<Influenced> weighted_balance(const MetricRequest& request,
                                           std::span<const WeightedImage> images,
                                           std::size_t classes);

}  // namespace assay::evaluate
