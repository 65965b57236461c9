// How sure a ranking is, where pairs of classifiers share images.
//
// Of each pair people's decisions give a log ratio L_ij = theta_i - theta_j + epsilon_ij with theta
// ~ N(0, spread^2), epsilon ~ N(0, tau^2): a pair of classifiers has a strength of its own, so that
// plain Bradley-Terry would be too sure. What is ranked are the row means of L, HodgeRank's scores
// of all pairs. The scores that this model gives, as if pairs were independent, are a statistic;
// their covariance comes from the images, each of which moves all of its pairs at once. The
// posterior is of the true scores given that statistic, averaged over the classifiers' spread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "assay/estimate.h"
#include "assay/mad/pairs.h"
#include "assay/mad/ranking.h"

namespace assay::mad {

/// Two classifiers, by their numbers from 0, first < second.
struct ListedPair {
    std::uint32_t first = 0, second = 0;
    /// Images of their list, answered or not; 0: they have none. Looked at where the target is the
    /// lists.
    std::uint64_t list = 0;
};
/// An image in the list of one pair, both of whose questions are answered.
struct AnsweredPlace {
    std::uint32_t pair = 0;  ///< in AnsweredPlaces::pairs
    std::uint64_t image = 0;
    bool first = false, second = false;  ///< whether the classifier is correct
    double weight = 1;                   ///< of the image, above 0
    /// Images of one photograph stand in one cluster and move together; unset in all places: each
    /// image is by itself.
    std::optional<std::uint64_t> cluster = {};
};
struct AnsweredPlaces {
    std::vector<ListedPair> pairs;
    std::vector<AnsweredPlace> places;
};

struct PosteriorOptions {
    /// Standard deviation of theta in the weights that pairs get in the scores; what is concluded
    /// from the scores is averaged over spreads from .05 to 3.2.
    double spread = 2;
    double tau = 0.4;            ///< of what is a pair's own, likewise
    double level = 0.95;         ///< of the credible intervals
    std::uint32_t draws = 2000;  ///< behind the intervals
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
    PairMatrix variance{0};  ///< of the difference of each two scores
    /// Mean over the pairs of the probability that they stand in the wrong order; Kendall's tau to
    /// the truth is 1 - 2 of it. A tie that is known to be one is in no wrong order. 0 of one
    /// classifier.
    double error = 0;
    /// Independent images that would leave the scores as unsure as these do. Below 10 the
    /// probabilities are rough.
    double effective_images = 0;
    std::uint64_t images = 0;  ///< different ones
    double spread = 0;         ///< mean standard deviation of the classifiers' theta
    /// Probability that it is at most .1: classifiers that are all but equal, of which `error` may
    /// be too low.
    double all_but_equal = 0;
};

/// The posterior given the working scores: m x m matrices alone. Pairs that are not there say
/// nothing. Throws usage: a pair twice or outside the classifiers, an image twice in a list, a list
/// shorter than its answers, a weight not above 0, clusters of some places alone; tau or spread
/// outside [0.001, 1000], level outside (0, 1), fewer than 100 draws. Cost: 13 classifiers^3, of
/// each image the square of the classifiers that it serves, and the draws. Same bits for any number
/// of threads.
Posterior posterior_of(std::size_t classifiers, const AnsweredPlaces& answered,
                       const PosteriorOptions& options = {});

/// The scores that pairs give when they are taken for independent (the working scores), without a
/// posterior, all images alike: what many replicates can pay for. Throws as log_ratios(); usage:
/// options, as posterior_of().
std::vector<double> posterior_scores(std::size_t classifiers, std::span<const PairCounts> pairs,
                                     const PosteriorOptions& options = {});

}  // namespace assay::mad
