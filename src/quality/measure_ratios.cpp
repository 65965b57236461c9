// The dimensions that divide an accuracy by the clean one: under attack, under corruptions, out of
// distribution.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <span>

#include "assay/evaluate/attack.h"
#include "assay/robustness/derived_store.h"
#include "core/refuse.h"
#include "core/statistics.h"
#include "evaluate/attack_cells.h"
#include "evaluate/attack_names.h"
#include "quality/measured_dimension.h"
#include "store/outcomes.h"
#include "store/same_data.h"

namespace assay::quality {
namespace {

/// True if each image was correct before the attack, and remains correct under it.
struct AttackedImages {
    std::vector<RowOutcome> clean, fgsm, pgd;
    std::string data;
};

/// Indexed by the rows of the clean store.
std::vector<RowOutcome> attacked_outcomes(const MeasuredInputs& in, const PredictionStore& clean,
                                          const std::string& store) {
    const PredictionStore attacked = in.index.open(in.index.attacked(), store, in.model);
    check_same_items(clean, attacked);
    if (!attacked.complete()) *in.partial = true;
    return attacked_outcomes_of(attacked, in.options.threads);
}

/// The worse of the two attacks' verdicts; "not checked" if one is not checked and neither is in
/// doubt.
DerivedStore verdict_of(const MeasuredInputs& in, std::span<const std::string> stores) {
    DerivedStore worst;
    for (const std::string& store : stores) {
        DerivedStore own = derived_of(in.index.open(in.index.attacked(), store, in.model));
        if (store == stores.front() || (own.is_in_doubt() && own.verdict > worst.verdict))
            worst = std::move(own);
        else if (own.verdict == AttackVerdict::not_checked && !worst.is_in_doubt())
            worst = std::move(own);
    }
    return worst;
}

/// The influence of each image on the geometric mean G: G ((f_i / F + p_i / P) / 2 - a_i / A).
std::vector<double> influence_of(const AttackedImages& images) {
    double a = 0, f = 0, p = 0;
    const auto each = [&](auto&& take) {
        for (std::size_t i = 0; i < images.clean.size(); ++i) {
            const bool clean = images.clean[i] == RowOutcome::correct;
            take(i, clean ? 1.0 : 0.0, clean && images.fgsm[i] == RowOutcome::correct ? 1.0 : 0.0,
                 clean && images.pgd[i] == RowOutcome::correct ? 1.0 : 0.0);
        }
    };
    each([&](std::size_t, double clean, double one, double two) {
        a += clean;
        f += one;
        p += two;
    });
    std::vector<double> influence(images.clean.size());
    each([&](std::size_t i, double clean, double one, double two) {
        influence[i] = (one / f + two / p) / 2 - clean / a;
    });
    return influence;
}

constexpr std::array ood_roles = {Role::r, Role::sketch, Role::stylized, Role::edge,
                                  Role::silhouette};

/// The source of an error that is not known per image.
ErrorSource unknown_source(double standard_error) {
    return {"", {}, standard_error * standard_error};
}

/// The influence of each item: 1 or 0 for correct or not, minus the proportion.
std::vector<double> centred(const Answers& answers) {
    const double p = static_cast<double>(answers.hits) / static_cast<double>(answers.n);
    std::vector<double> out(answers.predicted.size(), 0);
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (answers.counts(i)) out[i] = (answers.correct(i) ? 1 : 0) - p;
    }
    return out;
}

}  // namespace

MeasuredDimension measured_adversarial(const MeasuredInputs& in) {
    const std::string& data = in.index.attacked();
    if (!in.index.has(data, in.model))
        return not_measurable(fmt::format("no predictions on `{}`, the attacked images", data));
    const auto variant_for = [&](std::string_view attack) {
        return attack_variant({.attack = attack, .eps = in.options.eps, .space = in.options.space});
    };
    std::array<std::string, 2> names;
    std::string missing;
    for (std::size_t k = 0; k < 2; ++k) {
        const std::string variant = variant_for(k == 0 ? "fgsm" : "pgd");
        names[k] = fmt::format("{}@{}", in.model, variant);
        if (in.index.has(data, names[k])) continue;
        missing += fmt::format("{}{}", missing.empty() ? "" : " and ", variant);
    }
    if (!missing.empty()) {
        return not_measurable(fmt::format(
            "no predictions under {} on `{}`: make them with `assay attack`", missing, data));
    }
    const PredictionStore clean = in.index.open(data, in.model, in.model);
    if (!clean.complete()) *in.partial = true;
    AttackedImages images{outcomes_of(clean, in.options.threads),
                          attacked_outcomes(in, clean, names[0]),
                          attacked_outcomes(in, clean, names[1]), store::dataset_id_of(clean)};
    const DerivedStore verdict = verdict_of(in, names);
    if (verdict.verdict == AttackVerdict::not_usable) return not_measurable(doubt_of(verdict));
    std::uint64_t unscored = 0, hits[3] = {};
    for (std::size_t i = 0; i < images.clean.size(); ++i) {
        if (clean.dataset().single_label(i) < 0) continue;
        if (images.clean[i] == RowOutcome::none || images.fgsm[i] == RowOutcome::none ||
            images.pgd[i] == RowOutcome::none) {
            // All three stores must know an image. A missing shard or an unreadable image does not
            // count as a success of an attack.
            images.clean[i] = RowOutcome::none;
            ++unscored;
            continue;
        }
        if (images.clean[i] != RowOutcome::correct) continue;
        ++hits[0];
        hits[1] += images.fgsm[i] == RowOutcome::correct ? 1 : 0;
        hits[2] += images.pgd[i] == RowOutcome::correct ? 1 : 0;
    }
    MeasuredDimension out;
    const attack::AttackMean mean =
        attack::geometric_mean_of(images.clean, images.fgsm, images.pgd, in.options.level);
    out.value = mean.value;
    out.value.unit = Unit::number;
    if (!out.value.value) return out;
    const double level = in.options.level;
    const char* const names_of_parts[] = {"clean", "fgsm", "pgd"};
    for (std::size_t k = 0; k < 3; ++k) {
        out.parts.push_back(accuracy_part(names_of_parts[k],
                                          k == 0 ? "" : variant_for(k == 1 ? "fgsm" : "pgd"), data,
                                          Hits{hits[k], out.value.n}, level));
    }
    if (in.options.space == AttackSpace::pixels)
        out.differs.emplace_back("attacked in pixels (published: normalised units)");
    if (eps_text(in.options.eps) != "8/255")
        out.differs.push_back(fmt::format("eps {}", eps_text(in.options.eps)));
    add_differences(out.differs, differences_of(in, Role::val, clean, false, out.value.n));
    const double error = *out.value.standard_error;
    out.sources = {mean.by_images
                       ? source_of_items(images.data, influence_of(images), error * error)
                       : unknown_source(error)};
    note_unscored(out.value, unscored);
    if (verdict.is_in_doubt()) {
        add_note(out.value, doubt_of(verdict));
    } else if (verdict.verdict == AttackVerdict::not_checked) {
        add_note(out.value, "the attacks are not checked for masked gradients");
    }
    return out;
}

MeasuredDimension measured_corruptions(const MeasuredInputs& in) {
    if (!in.index.has(in.index.corrupted(), in.model)) {
        return not_measurable(
            fmt::format("no predictions on `{}`, the clean images of the corrupted ones",
                        in.index.corrupted()));
    }
    if (in.corruptions == nullptr) {
        return not_measurable(
            fmt::format("no predictions on corrupted versions of `{}`", in.index.corrupted()));
    }
    if (!in.corruptions->problem.empty()) return not_measurable(in.corruptions->problem);
    const robustness::CorruptionRatio& ratio = in.corruptions->ratio;
    if (!ratio.one_file) {
        refuse(
            fmt::format("predictions of `{}` on corrupted versions of `{}` come from several files "
                        "of this name: predict again with one of them",
                        in.model, in.index.corrupted()));
    }
    in.index.check_file(in.model, ratio.model_hash,
                        fmt::format("corrupted versions of `{}`", in.index.corrupted()));
    MeasuredDimension out;
    out.value = ratio.mean.relative;
    if (!out.value.value) return out;
    const double level = in.options.level;
    const PredictionStore clean = in.index.open(in.index.corrupted(), in.model, in.model);
    QualityPart part;
    part.name = "corrupted";
    part.dataset = in.index.corrupted();
    part.value = ratio.mean.accuracy;
    out.parts = {std::move(part)};
    if (ratio.synthetic_frost) out.differs.emplace_back("frost_synthetic in place of frost");
    add_differences(out.differs, differences_of(in, Role::val, clean, false, out.value.n));
    const bool by_images = set_corruption_error(out.value, ratio.clean_accuracy, level);
    const double error = *out.value.standard_error;
    out.sources = {by_images ? in.corruptions->source : unknown_source(error)};
    out.sources.front().data = store::dataset_id_of(clean);
    out.sources.front().variance = error * error;
    return out;
}

MeasuredDimension measured_ood(const MeasuredInputs& in) {
    std::vector<std::unique_ptr<Answers>> sets;
    std::string missing;
    for (const Role role : ood_roles) {
        std::string why;
        auto answers = in.answers_of(role, why);
        if (answers != nullptr && answers->n == 0) why = "no image has a single label and a score";
        if (!why.empty()) {
            missing +=
                fmt::format("{}{}: {}", missing.empty() ? "" : "; ", facts_of(role).name, why);
        }
        sets.push_back(std::move(answers));
    }
    const Answers& val = *in.val;
    if (!missing.empty()) return not_measurable(missing);
    if (val.hits == 0) return not_measurable("the clean accuracy is 0");
    const double level = in.options.level;
    MeasuredDimension out;
    std::vector<Hits> hits;
    std::uint64_t unscored = val.unscored;
    for (std::size_t k = 0; k < sets.size(); ++k) {
        const Answers& set = *sets[k];
        hits.push_back(set.of_all());
        unscored += set.unscored;
        const RoleFacts& facts = facts_of(ood_roles[k]);
        out.parts.push_back(accuracy_part(std::string(facts.name), set.map ? set.map->name : "",
                                          set.store.spec().dataset_name, set.of_all(), level));
        add_differences(out.differs, differences_of(in, ood_roles[k], set));
    }
    if (in.options.own_class_sketch) out.differs.emplace_back("sketches of all classes");
    add_differences(out.differs, differences_of(in, Role::val, val));
    out.value = geometric_ratio(hits, val.of_all(), level);
    note_unscored(out.value, unscored);
    if (*out.value.value == 0) {
        out.sources = {unknown_source(*out.value.standard_error)};
        return out;
    }
    const double square = *out.value.value * *out.value.value;
    for (const auto& set : sets) {
        out.sources.push_back(source_of_items(set->data, centred(*set),
                                              square * log_variance(set->of_all(), level) / 25));
    }
    std::vector<double> of_val = centred(val);
    for (double& x : of_val) x = -x;
    out.sources.push_back(
        source_of_items(val.data, of_val, square * log_variance(val.of_all(), level)));
    return out;
}

}  // namespace assay::quality
