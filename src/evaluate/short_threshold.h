// Thresholds as numbers that can be printed, and read back with the same decisions.
#pragma once

#include <optional>
#include <string>

#include "evaluate/threshold_halves.h"

namespace assay::evaluate {

/// One threshold in both scales. An image is positive if its number is at least the threshold.
struct ShownThreshold {
    /// Empty if no probability decides so: those of two images round to 0 or to 1, or no image is
    /// positive and one has the probability 1.
    std::optional<double> probability;
    std::optional<double> log_odds;  ///< for logits and log probabilities
};

/// Short numbers that give the same decision as `threshold` for each labelled image of the store.
/// They have at least three digits of the distance from 0 or 1; log-odds have two decimals. Cost: a
/// pass over the images.
ShownThreshold shown_threshold(const ThresholdHalves& halves, double threshold);

/// "0.7668", or "log-odds 21.34" for a probability within .001 of 0 or 1. All digits are shown.
/// "above 1" without both.
std::string text_of(const ShownThreshold& threshold);

/// A number c with low < c <= high that has few decimals, at least `places`. `near_low`: the first
/// one above `low`; otherwise the last one up to `high`. `low` may be -infinity and `high`
/// infinity, but not the end that it is near to.
double short_number(double low, double high, bool near_low, int places);

}  // namespace assay::evaluate
