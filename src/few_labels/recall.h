// Recall by true class from a stratified sample.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "few_labels/target.h"

namespace assay::few_labels {

struct RecallEstimate {
    std::optional<double> value;  ///< no value with fewer than two labels
    double low = 0, high = 1;
    std::size_t labels = 0;
};

/// The mean value of the images of a class. Which images of the pool belong to it is only known for
/// labelled ones, so this is a ratio of two weighted sums, with its linearised variance and
/// Wilson's interval for a sample of that variance. `of_class`: the labelled images of the class.
/// If each stratum is labelled throughout, the interval has no width. Source: Sarndal, Swensson and
/// Wretman 1992, section 5.6. Cost: linear in the labels.
RecallEstimate estimate_recall(std::span<const LabelledValue> of_class,
                               std::span<const StratumSample> strata, double quantile);

}  // namespace assay::few_labels
