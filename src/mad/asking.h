// Which images to ask about next: those that are expected to move the order of the classifiers
// most, drawn with known probabilities, so that what is asked about stays a sample of all lists.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/mad/posterior.h"
#include "assay/mad/ranking.h"

namespace assay::mad {

/// An accepted place of a pair, asked about or not.
struct ListedPlace {
    std::uint32_t pair = 0;               ///< in AnsweredPlaces::pairs
    std::size_t image = 0;                ///< 0, 1, ...
    std::uint32_t first = 0, second = 0;  ///< labels that the pair's classifiers predict
};

/// What is known of the order so far.
struct OrderSoFar {
    std::vector<double> scores;  ///< Posterior::scores for the lists; empty: no answer yet
    PairMatrix variance{0};      ///< Posterior::variance, likewise
    /// Images with an answered place, and those on which no label was correct.
    std::uint64_t images = 0, none_correct = 0;
};

/// Of each of `images` images the expected squared influence on the differences of scores that are
/// not resolved: over which of its labels is correct, the better a classifier the likelier its
/// label. `answered`: pairs with their lists, and the places that are answered. Cost: places, and
/// of each image its labels times the square of the classifiers that it concerns.
std::vector<double> expected_influence(std::size_t classifiers, std::size_t images,
                                       std::span<const ListedPlace> places,
                                       const AnsweredPlaces& answered, const OrderSoFar& so_far);

/// Of each image left, to be drawn next: in proportion to the root of influence per question
/// (Neyman's allocation), and a tenth uniform, which bounds every weight. Adds up to 1. `cost`:
/// questions, at least 1.
std::vector<double> draw_probabilities(std::span<const double> influence,
                                       std::span<const double> cost);

/// For how many images of a stratum of `images` each drawn one stands, in the order of the draws.
/// `probabilities`: of each at its draw, among those of the stratum not drawn yet. All that are
/// drawn stand for one each. Farquhar, Gal and Rainforth, "On Statistical Bias in Active Learning",
/// 2021.
std::vector<double> inclusion_weights(std::uint64_t images, std::span<const double> probabilities);

}  // namespace assay::mad
