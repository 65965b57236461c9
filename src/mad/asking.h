// Chooses the next images to ask about. Images that are expected to change the order of the
// classifiers more are drawn with higher, known probabilities. So the asked ones remain a sample of
// all lists.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/mad/posterior.h"
#include "assay/mad/ranking.h"

namespace assay::mad {

/// An accepted place of a pair, whether it was asked or not.
struct ListedPlace {
    std::uint32_t pair = 0;               ///< index in AnsweredPlaces::pairs
    std::size_t image = 0;                ///< 0, 1, ...
    std::uint32_t first = 0, second = 0;  ///< the labels that the pair's classifiers predict
};

/// The current estimate of the order.
struct OrderSoFar {
    std::vector<double> scores;  ///< Posterior::scores for the lists; empty if there is no answer
                                 ///< yet
    PairMatrix variance{0};      ///< Posterior::variance for the lists; empty if there is no answer
    /// The number of images with an answered place, and of those without a correct label.
    std::uint64_t images = 0, none_correct = 0;
};

/// For each of `images` images, the expected squared influence on unresolved differences of scores.
/// The expectation is over which of its labels is correct; a better classifier's label is more
/// likely. `answered` has the pairs with their lists, and the answered places. Cost: linear in the
/// places, and for each image its labels times the square of the number of its classifiers.
std::vector<double> expected_influence(std::size_t classifiers, std::size_t images,
                                       std::span<const ListedPlace> places,
                                       const AnsweredPlaces& answered, const OrderSoFar& so_far);

/// The probability of each remaining image to be drawn next. It is proportional to the square root
/// of influence per question (Neyman's allocation), with a tenth uniform, which bounds every
/// weight. The sum is 1. `cost` is the number of questions, at least 1.
std::vector<double> draw_probabilities(std::span<const double> influence,
                                       std::span<const double> cost);

/// The number of images that each drawn image represents, out of `images` in a stratum, in the
/// order of the draws. `probabilities` has each image's probability at its draw, among the undrawn
/// images of the stratum. If all are drawn, each represents one. Farquhar, Gal and Rainforth, "On
/// Statistical Bias in Active Learning", 2021.
std::vector<double> inclusion_weights(std::uint64_t images, std::span<const double> probabilities);

}  // namespace assay::mad
