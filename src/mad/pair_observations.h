// Each pair's evidence on its log ratio, from its correct predictions, treating pairs as
// independent.
#pragma once

#include <cstddef>
#include <vector>

#include "assay/mad/posterior.h"

namespace assay::mad {

struct PairObservation {
    std::size_t i = 0, j = 0;
    /// The number of images on which each classifier is correct, and on which both are. `first` +
    /// `second` must be above 0.
    double first = 0, second = 0, both = 0;
    double kish = 1;             ///< factor of the variance due to weights of images
    double y = 0, variance = 0;  ///< estimate of the log ratio, and its variance
};

/// Sets y and variance, and returns the posterior mean of theta. It uses Newton's method (with its
/// working observations) on the log ratios, because smoothing would pull rates near zero to the
/// middle.
std::vector<double> observe_pairs(std::size_t classifiers, std::vector<PairObservation>& pairs,
                                  const PosteriorOptions& options);

/// The posterior mean of the pair's log ratio.
double log_ratio_of(const PairObservation& pair, const std::vector<double>& theta,
                    const PosteriorOptions& options);

}  // namespace assay::mad
