// The names of stores of attacks.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "assay/evaluate/attack.h"
#include "assay/robustness/attack.h"
#include "assay/robustness/pixel_model.h"

namespace assay {

struct AttackVariant {
    std::string_view attack;
    Norm norm = Norm::linf;
    std::optional<double> eps = 0;                  ///< none for a search for the smallest change
    int steps = 0;                                  ///< 0 means the attack's own number
    std::optional<AttackStep> step = std::nullopt;  ///< none for the attack's own size
    int restarts = 1;
    bool literal = false;  ///< AttackRunOptions::paper_literal
    AttackSpace space = AttackSpace::pixels;
};
/// The part after MODEL@ that distinguishes the store from the model's own: "pgd-linf-8_255".
std::string attack_variant(const AttackVariant& variant);

}  // namespace assay
