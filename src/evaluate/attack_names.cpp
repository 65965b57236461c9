#include "evaluate/attack_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "assay/evaluate/attack.h"

namespace assay {

std::string attack_variant(const AttackVariant& variant) {
    std::string eps = eps_text(variant.eps);
    std::replace(eps.begin(), eps.end(), '/', '_');
    std::string name = fmt::format("{}-{}-{}", variant.attack, name_of(variant.norm), eps);
    if (variant.steps > 0) name += fmt::format("-{}steps", variant.steps);
    if (variant.literal) name += "-literal";
    if (variant.space == AttackSpace::normalised_clamped) name += "-normalised";
    return name;
}

}  // namespace assay
