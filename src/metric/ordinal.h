// Grades: classes in an order, where a mistake by one grade is less than one by two.
#pragma once

#include <cstdint>
#include <span>

#include "assay/metric/metric.h"

namespace assay {

/// Of an item: its group, and grades 0, 1, ... of its label and of the predicted class.
struct GradePair {
    std::uint16_t group = 0;
    std::int64_t label = 0, predicted = 0;
};

/// Quadratic weighted kappa (Cohen 1968) with the jackknife's interval of Fisher's z, because it is
/// skewed near 1. No interval where every prediction is the label: nothing tells how often another
/// one is not.
ResampledEstimate quadratic_kappa(std::span<const GradePair> items, double level);

}  // namespace assay
