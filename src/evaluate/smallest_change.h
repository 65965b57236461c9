// The smallest changes of images, from the store of a search for them: radii, their curve, their
// median, and pairs of models.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "assay/evaluate/attack.h"
#include "evaluate/attack_batch.h"
#include "store/outcomes.h"

namespace assay::attack {

/// The radii of all images (SmallestChanges::radii) and what follows from them, without store,
/// table and saved images. `counts` are those of the store.
SmallestChanges smallest_changes(std::string_view attack, const std::vector<AttackCounts>& counts,
                                 std::span<const RowOutcome> clean,
                                 std::span<const RowOutcome> attacked, double level);

/// The outcome of each image under a change of at most `eps`.
std::vector<RowOutcome> outcomes_within(std::span<const double> radii,
                                        std::span<const RowOutcome> clean, double eps);

/// The note of an interval with one end has these words, and a size in the unit of the budgets.
inline constexpr std::string_view without_another_end = "without another end";

/// The median of `values`, which may be infinite, with the interval of two order statistics: the
/// ranks r and n + 1 - r, for the largest r with P(B < r) <= (1 - level) / 2, where B ~ Binomial(n,
/// 1/2) (David and Nagaraja, Order statistics, 2003, 7.1). It covers at least the level for any
/// distribution. Undefined, for `why_infinite`, if the median is infinite. Without an interval, and
/// with a note, if one of its ends is infinite or there are too few values.
Estimate median_with_ranks(std::vector<double> values, double level, std::string_view why_infinite);

/// Writes a row for each image: its id, its outcome and its radius. Throws io.
void write_radii(const std::filesystem::path& file, const Dataset& dataset,
                 const SmallestChanges& changes);

/// A budget of a few digits near `radius`, for the controls.
double rounded_budget(Norm norm, double radius);

}  // namespace assay::attack
