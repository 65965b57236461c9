// Derives the verdict on an attack from the measurements.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/robustness/attack_verdict.h"
#include "evaluate/attack_control.h"

namespace assay::attack {

/// One attack with one budget, from its store.
struct JudgedAttack {
    std::string_view attack;
    double eps = 0;
    /// True if it has the usual strength of its kind: at least the usual number of steps, and not
    /// the paper's literal version.
    bool usual = true;
    std::span<const RowOutcome> outcomes;
    std::uint64_t by_square = 0;  ///< for autoattack: number of images that square was the first to
                                  ///< fool the model on
};

/// All attacks of one model.
struct JudgedModel {
    std::span<const RowOutcome> clean;
    std::vector<JudgedAttack> attacks;  ///< by eps
    Norm norm = Norm::linf;
    std::size_t classes = 0;
    std::size_t numbers = 0;  ///< numbers in an image
};

/// The outcome of the attacks that follow gradients at the largest budget. It is incorrect if one
/// of them fooled the model, and correct if none of the known ones did.
std::vector<RowOutcome> left_by_gradients(const JudgedModel& model, double eps);

/// The worst verdict of the signs that were found; not_checked if none could be tested.
AttackVerdict verdict_of(std::span<const MaskingSign> signs);

/// Why a sign is not tested: it needs `fewest` images, and there are `n`.
std::string too_few(std::uint64_t n, std::size_t fewest);

AttackControl judge_controls(const ControlMeasures& measures, const JudgedModel& model,
                             double largest_eps);

}  // namespace assay::attack
