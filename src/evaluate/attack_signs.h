// From what was measured to the verdict on an attack.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/robustness/attack_verdict.h"
#include "evaluate/attack_control.h"

namespace assay::attack {

/// One attack with one budget, as its store tells it.
struct JudgedAttack {
    std::string_view attack;
    double eps = 0;
    /// It is as strong as its kind can be: not of fewer steps than usual, nor the paper's literal.
    bool usual = true;
    std::span<const RowOutcome> outcomes;
    std::uint64_t by_square = 0;  ///< of autoattack: images that square was the first to fool
};

/// All attacks of one model.
struct JudgedModel {
    std::span<const RowOutcome> clean;
    std::vector<JudgedAttack> attacks;  ///< by eps
    Norm norm = Norm::linf;
    std::size_t classes = 0;
    std::size_t numbers = 0;  ///< of an image
};

/// Whether the attack follows gradients, and so may be masked.
bool follows_gradients(std::string_view attack);

/// What an attack that follows gradients left at the largest budget: incorrect where one of them
/// fooled the model, correct where all that are known left it.
std::vector<RowOutcome> left_by_gradients(const JudgedModel& model, double eps);

AttackControl judge_controls(const ControlMeasures& measures, const JudgedModel& model,
                             double largest_eps);

}  // namespace assay::attack
