// Whether an accuracy under attack is to be believed: signs that a model's gradient hides what the
// model does, each with its number.
//
// An attack gives an upper bound of robustness. A model whose gradient leads nowhere keeps its
// accuracy under every attack that follows the gradient, so controls on a few images look for that
// (Carlini et al., "On evaluating adversarial robustness", 2019; Athalye et al., "Obfuscated
// gradients give a false sense of security", ICML 2018). No sign found is no proof of robustness.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

enum class AttackVerdict {
    not_checked,  ///< no control ran
    no_sign,      ///< no sign of masking was found
    doubtful,     ///< a sign that the attack failed rather than that the model withstood it
    not_usable,   ///< scores are random, of the batch, no numbers, or probabilities
};
/// "not checked", "no sign of masking", "doubtful", "not usable".
std::string_view name_of(AttackVerdict);
/// Of what name_of() gives.
std::optional<AttackVerdict> attack_verdict_named(std::string_view name);

/// One thing that was looked for.
struct MaskingSign {
    std::string name;  ///< "random", "batch", "outputs", "large_budget", "none_fooled", "stronger",
                       ///< "without_gradient", "slope"
    AttackVerdict means = AttackVerdict::doubtful;  ///< where it is found
    bool found = false;
    std::string text;  ///< what was measured, with its number and limit, or why nothing was
    bool tested = true;
};

/// What the controls of one model on one data set say of its attacks.
struct AttackControl {
    AttackVerdict verdict = AttackVerdict::not_checked;
    std::vector<MaskingSign> signs;
    /// How loose the bound is: of `images` control images, the attacks of the command leave `left`
    /// at budget `eps`, and the stronger attack `attack` after them `left_by_control`. "": none
    /// ran.
    std::string attack;
    double eps = 0;
    std::uint64_t images = 0, left = 0, left_by_control = 0;
    std::uint64_t forward = 0;   ///< images that went through the model for the controls
    std::uint64_t backward = 0;  ///< ... of these, with a gradient
};

/// The signs that were found, in one sentence; "": none.
std::string reason_of(const AttackControl& control);

}  // namespace assay
