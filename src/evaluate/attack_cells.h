// Computes the results of an attack from stores.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/evaluate/attack.h"
#include "assay/store/prediction_store.h"
#include "store/outcomes.h"

namespace assay::attack {

/// wilson_proportion() with its standard error. For 0 hits, a note gives the one-sided bound.
Estimate attacked_proportion(std::uint64_t hits, std::uint64_t trials, double level,
                             const char* none);

/// Accuracy under the attack and its ratio to the clean one, over the images whose outcome both
/// stores have (attacked_outcomes_of()). `level` is as in AttackRunOptions.
void fill_cell(AttackCell& cell, std::span<const RowOutcome> clean,
               std::span<const RowOutcome> attacked, double level);

/// Images that have a score in `clean` and none in `attacked`. They are compared image by image,
/// because an equal number without a score in both stores may be different images.
struct UnscoredImages {
    AttackCell::Unscored not_finite, unreadable;
};
UnscoredImages unscored_images(const PredictionStore& clean, const PredictionStore& attacked);
/// Warnings about such images that say how they count. `where` is "m on val under fgsm at 8/255".
std::vector<std::string> unscored_lines(const AttackCell::Unscored& ended_not_finite,
                                        const AttackCell::Unscored& unreadable,
                                        std::string_view where);

struct AttackMean {
    Estimate value;
    bool by_images = false;  ///< the error comes from the delta method, and is therefore known by
                             ///< images
};
/// The geometric mean of the ratios of two attacks, over the images whose outcome all three stores
/// have, with wilson_of_variance() of the delta method's error. If that error is 0, the error and
/// interval are those of a proportion of this size (1 if no image is fooled). For a mean of 0,
/// take_zero_bound() of the bounds of both factors.
AttackMean geometric_mean_of(std::span<const RowOutcome> clean, std::span<const RowOutcome> one,
                             std::span<const RowOutcome> two, double level);

std::vector<std::string> signs_of(const AttackedResult& result, Norm norm);

}  // namespace assay::attack
