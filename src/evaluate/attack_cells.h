// From stores to what is said of an attack.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "assay/evaluate/attack.h"
#include "store/outcomes.h"

namespace assay::attack {

/// Accuracy under the attack and its ratio to the clean one, of the images that both stores tell
/// (attacked_outcomes_of()). `level` as in AttackRunOptions.
void fill_cell(AttackCell& cell, std::span<const RowOutcome> clean,
               std::span<const RowOutcome> attacked, double level);

/// The geometric mean of the ratios of two attacks, of the images that all three stores tell.
Estimate geometric_mean_of(std::span<const RowOutcome> clean, std::span<const RowOutcome> one,
                           std::span<const RowOutcome> two, double level);

std::vector<std::string> signs_of(const AttackedResult& result);

}  // namespace assay::attack
