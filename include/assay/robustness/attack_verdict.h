// Judges whether an accuracy under attack can be trusted: signs that a model's gradient hides the
// model's behavior, each with its number.
//
// An attack gives an upper bound of robustness. A model whose gradient is useless keeps its
// accuracy under every attack that follows the gradient. So controls on a few images look for that.
// Sources: Carlini et al., "On evaluating adversarial robustness", 2019; Athalye et al.,
// "Obfuscated gradients give a false sense of security", ICML 2018. The absence of signs does not
// prove robustness.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

enum class AttackVerdict {
    not_checked,  ///< no control ran
    no_sign,      ///< found no sign of masking
    doubtful,     ///< found a sign that the attack failed rather than that the model withstood it
    not_usable,   ///< scores are random, depend on the batch, are no numbers, or are probabilities
};
/// Returns "not checked", "no sign of masking", "doubtful" or "not usable".
std::string_view name_of(AttackVerdict);
/// Parses the names of name_of().
std::optional<AttackVerdict> attack_verdict_named(std::string_view name);

/// The result of one check.
struct MaskingSign {
    std::string name;  ///< "random", "batch", "outputs", "large_budget", "none_fooled", "stronger",
                       ///< "without_gradient", "slope", "transferred"
    AttackVerdict means = AttackVerdict::doubtful;  ///< the verdict if the sign is found
    bool found = false;
    std::string text;  ///< the measurement with its number and limit, or why there is none
    bool tested = true;
};

/// The result of the controls of one model on one data set, for its attacks.
struct AttackControl {
    AttackVerdict verdict = AttackVerdict::not_checked;
    std::vector<MaskingSign> signs;
    /// The looseness of the bound. Of `images` control images, `left` remain after the attacks of
    /// the command at budget `eps`. After the additional, stronger attack `attack`,
    /// `left_by_control` remain. If `attack` is "", none ran.
    std::string attack;
    double eps = 0;
    std::uint64_t images = 0, left = 0, left_by_control = 0;
    std::uint64_t forward = 0;   ///< images that went through the model for the controls
    std::uint64_t backward = 0;  ///< number of these that needed a gradient
};

/// The signs that were found, in one sentence; "" if there are none.
std::string reason_of(const AttackControl& control);

}  // namespace assay
