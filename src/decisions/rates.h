// Computes sensitivity and specificity, and values that combine them.
#pragma once

#include <vector>

#include "assay/estimate.h"
#include "evaluate/threshold_halves.h"

namespace assay::decisions {

using evaluate::Outcomes;
using evaluate::ScoredImage;

/// The threshold of the lowest cost per image at a prevalence; of equal costs the highest.
double threshold_for_costs(std::vector<ScoredImage> images, double false_positive,
                           double false_negative, double prevalence);

/// Returns `first` sensitivity + `second` (1 - specificity) + `constant` by MOVER.
Estimate combined_rates(const Outcomes& outcomes, double first, double second, double constant,
                        double level);
/// Positive predictive value at a prevalence: the interval joins those of both rates on the scale
/// of logarithms, from their midpoints. Undefined if no image is called positive.
Estimate positive_predictive_value(const Outcomes& outcomes, double prevalence, double level);
Estimate negative_predictive_value(const Outcomes& outcomes, double prevalence, double level);

}  // namespace assay::decisions
