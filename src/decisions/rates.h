// Sensitivity and specificity, and what is made of both.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/estimate.h"

namespace assay::decisions {

struct ScoredImage {
    double probability = 0;  ///< of the positive class
    bool positive = false;
};

/// Counts at a threshold.
struct Outcomes {
    std::uint64_t true_positives = 0, positives = 0, true_negatives = 0, negatives = 0;
};
Outcomes outcomes_at(const std::vector<ScoredImage>& images, double threshold);

/// The lowest threshold at which at least this proportion of the negatives is below it: it has the
/// highest sensitivity. At least one negative.
double threshold_for_specificity(const std::vector<ScoredImage>& images, double specificity);
/// The highest threshold that at least this proportion of the positives reaches. At least one.
double threshold_for_sensitivity(const std::vector<ScoredImage>& images, double sensitivity);
/// The threshold of the lowest cost per image at a prevalence; of equal costs the highest.
double threshold_for_costs(std::vector<ScoredImage> images, double false_positive,
                           double false_negative, double prevalence);

/// `first` sensitivity + `second` (1 - specificity) + `constant`, with MOVER's interval.
Estimate combined_rates(const Outcomes& outcomes, double first, double second, double constant,
                        double level);
/// Positive predictive value at a prevalence: the interval joins those of both rates on the scale
/// of logarithms, from their midpoints. Undefined if no image is called positive.
Estimate positive_predictive_value(const Outcomes& outcomes, double prevalence, double level);
Estimate negative_predictive_value(const Outcomes& outcomes, double prevalence, double level);

}  // namespace assay::decisions
