// From stores to what is said of an attack.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "assay/evaluate/attack.h"

namespace assay::attack {

/// Of each image: no single label or no score; incorrect; correct.
enum class Outcome : std::uint8_t { none, incorrect, correct };
std::vector<Outcome> outcomes_of(const std::filesystem::path& store);

/// Accuracy under the attack and its ratio to the clean one. `level` as in AttackRunOptions.
void fill_cell(AttackCell& cell, std::span<const Outcome> clean, std::span<const Outcome> attacked,
               double level);

/// The geometric mean of the ratios of two attacks on the same images.
Estimate geometric_mean_of(std::span<const Outcome> clean, std::span<const Outcome> one,
                           std::span<const Outcome> two, double level);

std::vector<std::string> signs_of(const AttackedResult& result);

}  // namespace assay::attack
