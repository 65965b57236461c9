// The attacks of a run, and which options act on them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/evaluate/attack.h"

namespace assay {

/// The name of AutoAttack's attacks, one after another.
inline constexpr std::string_view ensemble_attack = "autoattack";

/// The attacks that run without a choice.
std::vector<std::string> usual_attacks();
/// The attacks of the options, or the usual ones.
std::vector<std::string> all_attacks(const AttackRunOptions& options);
/// True for attacks that ignore --steps: their number of steps is one, none, or fixed.
bool has_own_steps(std::string_view attack);
/// Throws usage for an option that none of the attacks uses.
void check_taken(const AttackRunOptions& options, std::span<const std::string> attacks);

}  // namespace assay
