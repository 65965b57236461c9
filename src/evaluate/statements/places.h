// Determines the best model and the rank of each model.
#pragma once

#include "evaluate/statements/noise.h"

namespace assay::statements {

/// The certainty of the order of any two models.
struct Pairs {
    /// Standard deviation of the difference of two models; infinite if they are copies.
    Matrix errors;
    /// For each draw (one of each pair with opposite signs) and model: the largest of its errors
    /// against the others, in standard deviations.
    Matrix largest;
};
/// Cost: models^2 times half the number of draws.
Pairs pairs_of(const Factor& factor, const Matrix& errors);

struct PlaceRange {
    std::size_t low = 0, high = 0;
};
/// Possible places of each model, where 1 is the best, for a model that was named beforehand. With
/// `together`, the intervals of all models are valid simultaneously (Mogstad, Romano, Shaikh and
/// Wilhelm 2024).
std::vector<PlaceRange> places_of(std::span<const double> values, const Pairs& pairs, double level,
                                  bool together = false);

struct ChangeRange {
    std::int64_t low = 0, high = 0;
};
/// The place on the first data set minus the place on the second.
std::vector<ChangeRange> changes_of_place(std::span<const double> first, const Pairs& first_pairs,
                                          std::span<const double> second, const Pairs& second_pairs,
                                          double level);

struct Best {
    Range range;
    std::size_t model = 0;
    std::size_t candidates = 0;  ///< models that may be the best
};
/// One interval for the winner's true value and for the best of all true values. `images` is the
/// number of images for the winner's value; 0 derives it from the error.
Best best_of(std::span<const double> values, const Factor& factor, const Matrix& errors,
             double images, double level);

}  // namespace assay::statements
