#include "assay/robustness/attack.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <string>

#include "assay/error.h"
#include "core/text.h"
#include "core/topk.h"
#include "robustness/query.h"
#include "robustness/rest.h"

namespace assay {
namespace {

constexpr const char* croce =
    "Croce and Hein, Reliable evaluation of adversarial robustness with an ensemble of diverse "
    "parameter-free attacks, ICML 2020";

constexpr std::array only_linf = {Norm::linf};
constexpr std::array only_l2 = {Norm::l2};
constexpr std::array linf_and_l2 = {Norm::linf, Norm::l2};
constexpr std::array every_norm = {Norm::linf, Norm::l2, Norm::l1, Norm::l0};

constexpr std::array<Attack, 10> table = {{
    {"noise", "uniform noise of the budget's size: what every attack must beat", false, linf_and_l2,
     1, attack::noise},
    {"fgsm",
     "Goodfellow, Shlens, Szegedy, Explaining and harnessing adversarial examples, ICLR 2015", true,
     linf_and_l2, 1, attack::fgsm},
    {"pgd",
     "Madry et al., Towards deep learning models resistant to adversarial attacks, ICLR 2018", true,
     linf_and_l2, 10, attack::pgd},
    {"apgd-ce", croce, true, linf_and_l2, 100, attack::apgd_ce},
    {"apgd-dlr", croce, true, linf_and_l2, 100, attack::apgd_dlr},
    {"apgd-t", croce, true, linf_and_l2, 100, attack::apgd_targeted},
    {"fab-t",
     "Croce and Hein, Minimally distorted adversarial examples with a fast adaptive boundary "
     "attack, "
     "ICML 2020",
     true, only_linf, 100, attack::fab_targeted},
    {"square", "Andriushchenko, Croce, Flammarion, Hein, Square attack, ECCV 2020", false,
     only_linf, 5000, attack::square},
    {"fmn",
     "Pintor, Roli, Brendel, Biggio, Fast minimum-norm adversarial attacks through adaptive norm "
     "constraints, NeurIPS 2021",
     true, every_norm, 100, attack::fast_minimum_norm, true},
    {"ddn",
     "Rony et al., Decoupling direction and norm for efficient gradient-based L2 adversarial "
     "attacks and defenses, CVPR 2019",
     true, only_l2, 100, attack::decoupled_norm, true},
}};

constexpr std::array<std::string_view, 4> standard = {"apgd-ce", "apgd-t", "fab-t", "square"};

void check(const Attack& attack, const AttackedModel& model, const AttackBatch& batch,
           const AttackOptions& options) {
    if (!(options.eps >= 0) || !std::isfinite(options.eps)) {
        throw Error(ErrorCode::usage, fmt::format("eps is {}; it must be 0 or more", options.eps));
    }
    if (!attack.takes(options.norm)) throw Error(ErrorCode::usage, attack.norms_text());
    if (options.steps < 0 || !(options.step_size >= 0)) {
        throw Error(ErrorCode::usage, "steps and step size must be 0 or more");
    }
    if (options.restarts < 1) {
        throw Error(ErrorCode::usage,
                    fmt::format("restarts is {}; it must be 1 or more", options.restarts));
    }
    if (options.restarts > 1 && !options.random_start) {
        throw Error(ErrorCode::usage,
                    fmt::format("restarts is {}, but all runs without a random start are the same: "
                                "set random_start, or 1 restart",
                                options.restarts));
    }
    const std::size_t n = batch.labels.size();
    if (batch.images.size() != n * model.shape().size() || batch.items.size() != n)
        throw Error(ErrorCode::internal, "run_attack called with buffers of the wrong size");
    for (const std::uint32_t label : batch.labels) {
        if (label >= model.classes()) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("an image has the label {}, but the model has {} classes",
                                    label, model.classes()));
        }
    }
}

}  // namespace

std::string_view name_of(Norm norm) {
    switch (norm) {
        case Norm::linf:
            break;
        case Norm::l2:
            return "l2";
        case Norm::l1:
            return "l1";
        case Norm::l0:
            return "l0";
    }
    return "linf";
}

bool Attack::takes(Norm norm) const {
    return std::ranges::find(norms, norm) != norms.end();
}

std::string Attack::norms_text() const {
    std::vector<std::string_view> names;
    for (const Norm norm : norms) names.push_back(name_of(norm));
    return fmt::format("{} is defined for the {} {} only", name,
                       names.size() == 1 ? "norm" : "norms", fmt::join(names, " and "));
}

std::span<const Attack> attacks() {
    return table;
}

const Attack& attack_named(std::string_view name) {
    for (const Attack& attack : table) {
        if (attack.name == name) return attack;
    }
    std::vector<std::string_view> names;
    for (const Attack& attack : table) names.push_back(attack.name);
    throw Error(ErrorCode::usage,
                fmt::format("unknown attack \"{}\"; allowed: {}", name, fmt::join(names, ", ")));
}

AttackResult run_attack(const Attack& attack, AttackedModel& model, const AttackBatch& batch,
                        const AttackOptions& options) {
    check(attack, model, batch, options);
    AttackOptions own = options;
    if (own.steps == 0) own.steps = attack.steps;
    AttackResult result = attack.run(model, batch, own);
    if (!options.verify) return result;
    attack::Query query(model, result);
    std::vector<std::size_t> claimed;
    const std::size_t size = model.shape().size();
    for (std::size_t i = 0; i < batch.labels.size(); ++i) {
        if (result.fooled[i] == 0) continue;
        claimed.push_back(i);
        query.add(std::span(result.images).subspan(i * size, size), batch.labels[i]);
    }
    query.ask_scores();
    for (std::size_t k = 0; k < claimed.size(); ++k) {
        result.fooled[claimed[k]] = query.fooled(k) ? 1 : 0;
        if (!query.sound_scores(k)) result.not_finite[claimed[k]] = 1;
    }
    return result;
}

std::span<const std::string_view> autoattack_parts() {
    return standard;
}

EnsembleResult run_ensemble(std::span<const std::string_view> names, AttackedModel& model,
                            const AttackBatch& batch, const AttackOptions& options) {
    EnsembleResult all = {attack::untouched(batch), std::vector<int>(batch.labels.size(), -1)};
    all.result.unusable.assign(batch.labels.size(), names.empty() ? 0 : 1);
    for (std::size_t a = 0; a < names.size(); ++a) {
        const attack::Rest rest(batch, all.result.fooled);
        if (rest.places.empty()) break;
        const AttackResult part = run_attack(attack_named(names[a]), model, rest.batch(), options);
        rest.add_to(all.result, part);
        const std::size_t size = model.shape().size();
        for (std::size_t k = 0; k < rest.places.size(); ++k) {
            if (part.fooled[k] == 0) continue;
            attack::keep(all.result, rest.places[k],
                         std::span(part.images).subspan(k * size, size));
            all.result.fooled[rest.places[k]] = 1;
            all.by[rest.places[k]] = static_cast<int>(a);
        }
    }
    return all;
}

namespace attack {

AttackResult untouched(const AttackBatch& batch) {
    AttackResult result;
    result.images.assign(batch.images.begin(), batch.images.end());
    result.fooled.assign(batch.labels.size(), 0);
    result.zero_gradient = result.not_finite = result.unusable = result.fooled;
    return result;
}

void keep(AttackResult& result, std::size_t i, std::span<const float> image) {
    std::copy(image.begin(), image.end(),
              result.images.begin() + static_cast<std::ptrdiff_t>(i * image.size()));
}

std::vector<std::uint32_t> targets_by_score(std::span<const float> scores, std::uint32_t label,
                                            std::size_t count) {
    std::vector<std::int32_t> order;
    top_k(scores, std::min(count + 1, scores.size()), order);
    std::vector<std::uint32_t> targets;
    for (const std::int32_t c : order) {
        if (scores[static_cast<std::size_t>(c)] == -std::numeric_limits<float>::infinity()) break;
        if (static_cast<std::uint32_t>(c) != label && targets.size() < count)
            targets.push_back(static_cast<std::uint32_t>(c));
    }
    return targets;
}

}  // namespace attack
}  // namespace assay
