// The uncertainty of a ranking if pairs of classifiers share images.
//
// People's decisions give each pair a log ratio L_ij = theta_i - theta_j + epsilon_ij with theta ~
// N(0, spread^2), epsilon ~ N(0, tau^2). The pair's own term epsilon is needed because plain
// Bradley-Terry would be too certain. The ranking is by the row means of L, which are HodgeRank's
// scores over all pairs. The scores that this model gives when pairs are treated as independent are
// a statistic. Its covariance comes from the images, each of which affects all of its pairs at
// once. The posterior is that of the true scores given that statistic, averaged over the
// classifiers' spread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "assay/estimate.h"
#include "assay/mad/pairs.h"
#include "assay/mad/ranking.h"

namespace assay::mad {

/// Two classifiers as indices from 0, with first < second.
struct ListedPair {
    std::uint32_t first = 0, second = 0;
    /// Number of images in the pair's list, answered or not. Used if the target is the
    /// lists.
    std::uint64_t list = 0;
};
/// An image in a pair's list for which both questions are answered.
struct AnsweredPlace {
    std::uint32_t pair = 0;  ///< index in AnsweredPlaces::pairs
    std::uint64_t image = 0;
    bool first = false, second = false;  ///< true if the classifier is correct
    double weight = 1;                   ///< weight of the image, above 0
    /// Images of one photograph form a cluster and vary together. If no image has a cluster, all
    /// are independent.
    std::optional<std::uint64_t> cluster = {};
};
struct AnsweredPlaces {
    std::vector<ListedPair> pairs;
    std::vector<AnsweredPlace> places;
};

struct PosteriorOptions {
    /// The assumed standard deviation of theta for the weights of pairs in the scores. Conclusions
    /// from the scores are averaged over spreads from .05 to 3.2.
    double spread = 2;
    double tau = 0.4;            ///< the same for the pair's own term
    double level = 0.95;         ///< level of the credible intervals
    std::uint32_t draws = 2000;  ///< number of draws for the intervals
    std::uint64_t seed = 0;
    /// True if the target is the scores after all lists are answered. Then uncertainty about things
    /// that no answer could resolve, such as missing pairs, does not count.
    bool lists_alone = false;
};

struct Posterior {
    std::vector<Estimate> scores;  ///< mean 0; credible intervals
    std::vector<Estimate> ranks;   ///< 1: the best
    /// at(i, j): probability that i is better than j; 1/2 on the diagonal.
    PairMatrix better{0};
    PairMatrix variance{0};  ///< variance of the difference of two scores
    /// The mean over pairs of the probability that they are in the wrong order. Kendall's tau to
    /// the truth is 1 minus twice this. A tie in the truth is not in the wrong order. 0 for one
    /// classifier.
    double error = 0;
    /// The number of independent images that would give the scores the same uncertainty. Below 10,
    /// the probabilities are rough.
    double effective_images = 0;
    std::uint64_t images = 0;  ///< different ones
    double spread = 0;         ///< mean standard deviation of the classifiers' theta
    /// Probability that the spread is at most .1: the classifiers are then nearly equal, and
    /// `error` may be too low.
    double all_but_equal = 0;
};

/// The posterior given the working scores, using only m x m matrices. Missing pairs provide no
/// information. Throws usage for a repeated pair or one outside the classifiers, a repeated image
/// in a list, a list shorter than its answers. Also throws usage: a weight not above 0, clusters
/// for only some places. For the options, throws usage: tau or spread outside [0.001, 1000], level
/// outside (0, 1), fewer than 100 draws. Cost: 13 classifiers^3, for each image the square of the
/// number of its classifiers, and the draws. Results are bit-identical for any number of threads.
Posterior posterior_of(std::size_t classifiers, const AnsweredPlaces& answered,
                       const PosteriorOptions& options = {});

/// The working scores, which treat pairs as independent and weight all images equally. They need no
/// posterior and are cheap enough for many replicates. Throws as log_ratios(); usage for options,
/// as posterior_of().
std::vector<double> posterior_scores(std::size_t classifiers, std::span<const PairCounts> pairs,
                                     const PosteriorOptions& options = {});

}  // namespace assay::mad
