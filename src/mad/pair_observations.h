// What the correct predictions of each pair say of its log ratio, pairs taken for independent.
#pragma once

#include <cstddef>
#include <vector>

#include "assay/mad/posterior.h"

namespace assay::mad {

struct PairObservation {
    std::size_t i = 0, j = 0;
    /// Images on which each classifier is correct, and both; first + second is above 0.
    double first = 0, second = 0, both = 0;
    double kish = 1;             ///< more variance by weights of images
    double y = 0, variance = 0;  ///< of the log ratio
};

/// Sets y and variance, and returns the posterior mean of theta. Newton's method (its working
/// observations) follows the log ratios, because smoothing would draw what is hardly ever correct
/// to the middle.
std::vector<double> observe_pairs(std::size_t classifiers, std::vector<PairObservation>& pairs,
                                  const PosteriorOptions& options);

/// Posterior mean of the pair's log ratio.
double log_ratio_of(const PairObservation& pair, const std::vector<double>& theta,
                    const PosteriorOptions& options);

}  // namespace assay::mad
