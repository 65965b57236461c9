// From stores to what is said of an attack.
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

/// Accuracy under the attack and its ratio to the clean one, of the images that both stores tell
/// (attacked_outcomes_of()). `level` as in AttackRunOptions.
void fill_cell(AttackCell& cell, std::span<const RowOutcome> clean,
               std::span<const RowOutcome> attacked, double level);

/// Images that `clean` has a score of and `attacked` has none of, image by image: as many without a
/// score in both stores may be others.
struct UnscoredImages {
    AttackCell::Unscored not_finite, unreadable;
};
UnscoredImages unscored_images(const PredictionStore& clean, const PredictionStore& attacked);
/// What a warning says of them, and how they count; `where`: "m on val under fgsm at 8/255". Empty:
/// there are none.
std::vector<std::string> unscored_lines(const AttackCell& cell, std::string_view where);

struct AttackMean {
    Estimate value;
    bool by_images = false;  ///< the error is the delta method's, and so known by images
};
/// The geometric mean of the ratios of two attacks, of the images that all three stores tell, with
/// wilson_of_variance() of the delta method's error. Where that error is 0: with none fooled, the
/// error and interval of a proportion of all; else those of a proportion of this size. Of 0,
/// take_zero_bound() of the bounds of both factors.
AttackMean geometric_mean_of(std::span<const RowOutcome> clean, std::span<const RowOutcome> one,
                             std::span<const RowOutcome> two, double level);

std::vector<std::string> signs_of(const AttackedResult& result);

}  // namespace assay::attack
