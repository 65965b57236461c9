// The scores that all pairs' log ratios give together, and how unsure they are where pairs share
// images: the statistic on which the posterior of the true scores is conditioned.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/mad/posterior.h"
#include "mad/small_matrix.h"

namespace assay::mad {

/// working = A y: y is the pairs' log ratios, A those weights of theirs that a Gaussian model of
/// independent pairs gives. The covariance of working is that of A y with y's from the images: an
/// image moves all of its pairs at once. Pairs stand as (0, 1), (0, 2), ..., (m - 2, m - 1).
struct WorkingScores {
    std::size_t classifiers = 0;
    std::vector<double> y, v;  ///< 0 of pairs that say nothing
    std::vector<double> scores;
    SmallMatrix covariance;
    double effective_images = 0;  ///< as Posterior::effective_images
    std::uint64_t images = 0;     ///< different ones
    /// Every list is answered in full: the target is `at_end`, and nothing is unsure.
    bool known = false;
    std::vector<double> at_end;
    /// What the prior says, sigma^2 times first + ratio^2 second: A K A', T K A' and T K T', T the
    /// target's weights of the true log ratios.
    SmallMatrix own_first, own_second, cross_first, cross_second, target_first, target_second;
};

/// Throws usage as posterior_of().
void check_posterior_options(const PosteriorOptions& options);

/// Throws usage as posterior_of(). Cost: the places, and of each image the square of the
/// classifiers whose pairs it serves; the cube of the classifiers.
WorkingScores working_scores(std::size_t classifiers, const AnsweredPlaces& answered,
                             const PosteriorOptions& options);

}  // namespace assay::mad
