// The scores from the log ratios of all pairs, and their uncertainty if pairs share images. The
// posterior of the true scores is conditioned on this statistic.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/mad/posterior.h"
#include "mad/small_matrix.h"

namespace assay::mad {

/// working = A y, where y are the pairs' log ratios, and A has their weights in a Gaussian model of
/// independent pairs. The covariance of `working` is that of A y. The covariance of y comes from
/// the images, because an image affects all of its pairs at once. Pairs are ordered (0, 1), (0, 2),
/// ..., (m - 2, m - 1).
struct WorkingScores {
    std::size_t classifiers = 0;
    std::vector<double> y, v;  ///< 0 for pairs without information
    std::vector<double> scores;
    SmallMatrix covariance;
    double effective_images = 0;  ///< as Posterior::effective_images
    std::uint64_t images = 0;     ///< different ones
    /// True if every list is fully answered: the target is `at_end`, without uncertainty.
    bool known = false;
    std::vector<double> at_end;
    /// The prior's contribution, sigma^2 times first + ratio^2 second: A K A', T K A' and T K T'.
    /// The matrix T has the target's weights of the true log ratios.
    SmallMatrix own_first, own_second, cross_first, cross_second, target_first, target_second;
};

/// Throws usage as posterior_of().
void check_posterior_options(const PosteriorOptions& options);

/// Throws usage as posterior_of(). Cost: linear in the places, plus for each image the square of
/// the number of its classifiers, plus the cube of the number of classifiers.
WorkingScores working_scores(std::size_t classifiers, const AnsweredPlaces& answered,
                             const PosteriorOptions& options);

}  // namespace assay::mad
