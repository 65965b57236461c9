#include "evaluate/attack_taken.h"

#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "evaluate/options_used.h"

namespace assay {
namespace {

/// Throws usage for an option of pgd that cannot act.
void check_pgd_options(const AttackRunOptions& options, std::span<const std::string> attacks) {
    const std::string_view given = options.step           ? "--step"
                                   : options.restarts > 1 ? "--restarts"
                                                          : "";
    if (given.empty()) return;
    if (std::ranges::find(attacks, "pgd") == attacks.end()) {
        throw Error(ErrorCode::usage,
                    fmt::format("{} is about pgd, which is not among the attacks: add --attack pgd",
                                given));
    }
    if (options.paper_literal) {
        throw Error(ErrorCode::usage,
                    fmt::format("--paper-literal runs pgd with steps of eps from the image itself: "
                                "remove it or {}",
                                given));
    }
}

}  // namespace

std::vector<std::string> usual_attacks() {
    return {"fgsm", "pgd"};
}

std::vector<std::string> all_attacks(const AttackRunOptions& options) {
    return options.attacks.empty() ? usual_attacks() : options.attacks;
}

bool has_own_steps(std::string_view attack) {
    return attack == "fgsm" || attack == "noise" || attack == ensemble_attack;
}

void check_taken(const AttackRunOptions& options, std::span<const std::string> attacks) {
    if (options.steps > 0 && std::ranges::all_of(attacks, has_own_steps)) {
        throw Error(ErrorCode::usage,
                    "none of the attacks takes --steps: fgsm has one step, and autoattack sets its "
                    "own. These do: pgd, apgd-ce, apgd-dlr, apgd-t, fab-t, square, fmn and ddn");
    }
    if (options.paper_literal && std::ranges::find(attacks, "pgd") == attacks.end()) {
        throw Error(ErrorCode::usage,
                    "--paper-literal is about pgd, which is not among the attacks: add --attack "
                    "pgd");
    }
    check_pgd_options(options, attacks);
}

void check_used(const AttackRunOptions& options) {
    check_taken(options, all_attacks(options));
}

}  // namespace assay
