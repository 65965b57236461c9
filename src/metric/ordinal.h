// Metrics of grades (ordered classes), for which a mistake by one grade is the smallest.
#pragma once

#include <cstdint>
#include <span>

#include "assay/metric/metric.h"

namespace assay {

/// The group of an item, and the grades 0, 1, ... of its label and of the predicted class.
struct GradePair {
    std::uint16_t group = 0;
    std::int64_t label = 0, predicted = 0;
};

/// Quadratic weighted kappa (Cohen 1968) with the jackknife's interval for Fisher's z, because
/// kappa is skewed near 1. There is no interval if every prediction equals the label: the data then
/// do not show how often predictions differ.
ResampledEstimate quadratic_kappa(std::span<const GradePair> items, double level);

}  // namespace assay
