// How sure a ranking is: a Gaussian model of all pairs at once, and which images to ask about next.
//
// Of each pair people's decisions give y = log((first correct + 1/2) / (second correct + 1/2)) with
// variance v. L_ij = theta_i - theta_j + epsilon_ij with theta ~ N(0, spread^2), epsilon ~ N(0,
// tau^2): a pair of classifiers has a strength of its own, so that plain Bradley-Terry would be too
// sure. What is ranked are the row means of L, HodgeRank's scores of all pairs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "assay/estimate.h"
#include "assay/mad/pairs.h"
#include "assay/mad/ranking.h"

namespace assay::mad {

/// A pair and the finite list of images that its answers were drawn from at random.
struct PairSample {
    PairCounts counts;
    /// Images of the list, of which `counts` are a part: what the list as a whole would say is the
    /// target, and known exactly when all of it is answered. 0: the images are a sample of many.
    std::uint64_t list = 0;
};

struct PosteriorOptions {
    /// Standard deviation of theta before any answer. Classifiers that are far apart are covered
    /// with 2 (of 95 %: 93, where 1 gives 80), close ones as well (95 to 97).
    double spread = 2;
    double tau = 0.4;            ///< of what is a pair's own
    double level = 0.95;         ///< of the credible intervals
    std::uint32_t draws = 2000;  ///< behind the intervals of ranks
    std::uint64_t seed = 0;
    /// The target is the scores that the lists give when all of them are answered: what no answer
    /// to them would say, of pairs that are not there, adds nothing to what is unsure.
    bool lists_alone = false;
};

struct Posterior {
    std::vector<Estimate> scores;  ///< mean 0; credible intervals
    std::vector<Estimate> ranks;   ///< 1: the best
    /// at(i, j): probability that i is better than j; 1/2 on the diagonal.
    PairMatrix better{0};
    /// Mean over the pairs of the probability that they stand in the wrong order; Kendall's tau to
    /// the truth is 1 - 2 of it. A tie that is known to be one is in no wrong order. 0 of one
    /// classifier.
    double error = 0;
};

/// Exact: the posterior of theta (classifiers^3), from which that of all pairs follows. Pairs that
/// are not there say nothing. Throws usage: as log_ratios(); a list shorter than its answers; tau
/// not above 0, level outside (0, 1), fewer than 100 draws.
Posterior posterior_of(std::size_t classifiers, std::span<const PairSample> pairs,
                       const PosteriorOptions& options = {});

/// The means of Posterior::scores alone, without its draws.
std::vector<double> posterior_scores(std::size_t classifiers, std::span<const PairSample> pairs,
                                     const PosteriorOptions& options = {});

/// Where the next answers lower Posterior::error most.
struct NextImages {
    std::size_t pair = 0;      ///< in the order given
    std::uint32_t images = 0;  ///< so many more of it
    double gain = 0;           ///< expected decrease of the error, per image
};
/// Looks 4, 12, 30 and 60 images ahead (or to the end of the list) on every pair: the expected
/// error after them, by seven nodes of Gauss and Hermite, as an additional observation moves all
/// scores together. Nothing: every list is at its end. Cost: pairs^2. Throws as posterior_of().
std::optional<NextImages> next_images(std::size_t classifiers, std::span<const PairSample> pairs,
                                      const PosteriorOptions& options = {});

}  // namespace assay::mad
