#include "evaluate/attack_transfer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "assay/error.h"
#include "assay/robustness/pixel_model.h"
#include "assay/store/prediction_store.h"
#include "core/json_text.h"
#include "core/statistics.h"
#include "core/text.h"
#include "evaluate/attack_cells.h"
#include "evaluate/attack_checked.h"
#include "evaluate/attack_signs.h"
#include "evaluate/attack_taken.h"
#include "evaluate/scoring_settings.h"

namespace assay::attack {
namespace {

using nlohmann::json;

/// The first setting that gives two models different pixels, as "height 224 and 128"; "" if all are
/// equal.
std::string different_pixels(const Preprocess& first, const Preprocess& second) {
    const json one = to_json(attacked_preprocess(first, AttackSpace::pixels));
    const json two = to_json(attacked_preprocess(second, AttackSpace::pixels));
    for (const auto& [key, value] : one.items()) {
        const auto other = two.find(key);
        if (other == two.end() || *other != value) {
            return fmt::format("{} {} and {}", key, value.dump(),
                               other == two.end() ? "none" : other->dump());
        }
    }
    return one == two ? "" : "other settings";
}

/// The name of a model in the names of stores. The last @ of a store's name begins the attack.
std::string without_at(std::string name) {
    std::ranges::replace(name, '@', '_');
    return name;
}

/// LoadedModel::scores of a model on the images that an attack made on another.
class TransferredScores {
public:
    TransferredScores(BatchAttack made, std::shared_ptr<AttackedModel> target)
        : made_(std::move(made)), target_(std::move(target)) {}

    void operator()(const ImageBatch& batch, std::span<float> out) const {
        std::vector<float> planes;
        const AttackedImages& made = made_.last(as_attacked(batch, target_->shape(), planes));
        target_->scores(made.images, batch.n, out);
        if (batch.unscored == nullptr) return;
        for (const std::size_t place : made.unusable)
            batch.unscored->push_back({batch.first_row + place, std::string(no_gradient)});
    }

private:
    BatchAttack made_;
    std::shared_ptr<AttackedModel> target_;
};

}  // namespace

void check_transfer(std::span<const LoadedModel> models, const AttackRunOptions& options,
                    std::span<const std::string> attacks) {
    if (models.size() < 2) {
        throw Error(
            ErrorCode::usage,
            "--transfer needs two or more models, but there is one model: add --model FILE");
    }
    if (options.space != AttackSpace::pixels) {
        throw Error(ErrorCode::usage,
                    fmt::format("--transfer needs images, but the space {} changes the normalised "
                                "input: remove --space",
                                name_of(options.space)));
    }
    for (const std::string& attack : attacks) {
        if (attack == ensemble_attack || !attack_named(attack).smallest) continue;
        throw Error(ErrorCode::usage,
                    fmt::format("--transfer needs attacks with a budget, but {} stops at the "
                                "boundary of one model: pass --attack pgd",
                                attack));
    }
    for (std::size_t i = 0; i < models.size(); ++i) {
        for (std::size_t k = i + 1; k < models.size(); ++k) {
            const std::string &one = models[i].spec.name, &two = models[k].spec.name;
            if (one == two || without_at(one) != without_at(two)) continue;
            throw Error(ErrorCode::usage,
                        fmt::format("--transfer writes @ as _ in the names of stores, so `{}` and "
                                    "`{}` would share a store: pass other names with --name",
                                    one, two));
        }
    }
    for (const LoadedModel& model : models.subspan(1)) {
        const std::string different =
            different_pixels(models[0].spec.preprocess, model.spec.preprocess);
        if (different.empty()) continue;
        throw Error(ErrorCode::usage,
                    fmt::format("--transfer gives the pixels of one model to the others, but "
                                "`{}` and `{}` take different pixels ({}). Only mean, std and "
                                "scale may differ: pass the same size, resize and crop for all "
                                "models, for example --input-size 224",
                                models[0].spec.name, model.spec.name, different));
    }
}

namespace {

/// How to run all models in batches of one size, if they now have `first` and `other`.
std::string batch_advice(std::span<const LoadedModel> models, std::uint32_t first,
                         std::uint32_t other) {
    std::set<std::int64_t> fixed;
    for (const LoadedModel& model : models) {
        if (const std::int64_t only = model.classifier->facts().fixed_batch; only > 0)
            fixed.insert(only);
    }
    if (fixed.size() > 1) {
        return fmt::format(
            "the files take only batches of {}: export the models for any batch size",
            fmt::join(fixed, " and "));
    }
    return fmt::format("pass --batch {} --out NEW_FOLDER",
                       fixed.empty() ? std::min(first, other) : *fixed.begin());
}

}  // namespace

std::uint32_t same_batch_size(std::span<const LoadedModel> models,
                              std::span<const PredictResult> clean) {
    const auto batch_of = [](const PredictResult& one) {
        return PredictionStore::open(one.store).spec().batch_size;
    };
    const std::uint32_t first = batch_of(clean.front());
    for (const PredictResult& one : clean.subspan(1)) {
        const std::uint32_t other = batch_of(one);
        if (other == first) continue;
        throw Error(ErrorCode::usage,
                    fmt::format("--transfer needs batches of one size, but `{}` runs in batches "
                                "of {} and `{}` of {}: {}",
                                clean.front().model, first, one.model, other,
                                batch_advice(models, first, other)));
    }
    return first;
}

namespace {

LoadedModel transferred_model(const LoadedModel& source, const LoadedModel& target,
                              const AttackJob& job, BatchAttack made,
                              std::shared_ptr<AttackedModel> pixels_of_target,
                              const std::string& definition) {
    json scored_by = json::parse(definition);
    scored_by["made_on"] = {{"model", source.spec.name}, {"hash", source.file_hash}};
    add_scoring_settings(target.spec, scored_by["classified_with"]);
    LoadedModel changed = target;
    changed.spec.name =
        fmt::format("{}@{}-from-{}", target.spec.name, job.variant, without_at(source.spec.name));
    changed.spec.preprocess = attacked_preprocess(target.spec.preprocess, AttackSpace::pixels);
    changed.scored_by = json_line(scored_by);
    changed.scores = TransferredScores(std::move(made), std::move(pixels_of_target));
    return changed;
}

}  // namespace

void fill_transfer(TransferredAttack& cell, const TransferOutcomes& o, double level) {
    std::uint64_t all = 0, hits = 0;
    for (std::size_t i = 0; i < o.source.size(); ++i) {
        if (o.source[i] == RowOutcome::none || o.target[i] == RowOutcome::none) continue;
        if (o.source[i] == RowOutcome::incorrect) {
            ++all;
            hits += o.target[i] == RowOutcome::correct ? 1 : 0;
            continue;
        }
        if (o.source_attacked[i] == RowOutcome::none || o.target_attacked[i] == RowOutcome::none)
            continue;
        const bool left = o.target_attacked[i] == RowOutcome::correct;
        ++all;
        hits += left ? 1 : 0;
        if (o.target[i] == RowOutcome::incorrect) continue;
        const bool fooled = o.source_attacked[i] == RowOutcome::incorrect;
        ++cell.both;
        cell.robust += left ? 1 : 0;
        cell.fooled += fooled ? 1 : 0;
        cell.transferred += fooled && !left ? 1 : 0;
    }
    cell.accuracy = attacked_proportion(hits, all, level, "no image has a label and a score");
    cell.ratio = attacked_proportion(cell.robust, cell.both, level,
                                     "no image is classified correctly by both models");
    cell.rate = attacked_proportion(cell.transferred, cell.fooled, level,
                                    "no image that both models classify correctly fools the model "
                                    "that it was made on");
}

OwnAgainstOthers own_against_others(const TransferOutcomes& o,
                                    std::span<const RowOutcome> own_attack, std::string text) {
    OwnAgainstOthers out;
    out.text = std::move(text);
    for (std::size_t i = 0; i < o.source.size(); ++i) {
        if (o.source[i] != RowOutcome::correct || o.target[i] != RowOutcome::correct ||
            o.target_attacked[i] == RowOutcome::none || own_attack[i] == RowOutcome::none)
            continue;
        const bool by_other = o.target_attacked[i] == RowOutcome::incorrect;
        const bool by_own = own_attack[i] == RowOutcome::incorrect;
        ++out.images;
        out.bad += by_other && !by_own ? 1 : 0;
        out.good += by_own && !by_other ? 1 : 0;
    }
    return out;
}

MaskingSign transferred_sign(std::span<const OwnAgainstOthers> all) {
    MaskingSign sign = {.name = "transferred", .text = {}, .tested = false};
    std::vector<const OwnAgainstOthers*> large_enough;
    std::vector<double> p;
    std::uint64_t most = 0;
    for (const OwnAgainstOthers& one : all) {
        most = std::max(most, one.images);
        if (one.images < fewest_for_tests) continue;
        large_enough.push_back(&one);
        p.push_back(mcnemar(one.bad, one.good).p);
    }
    if (large_enough.empty()) {
        sign.text = "not tested: " + too_few(most, fewest_for_tests);
        return sign;
    }
    sign.tested = true;
    const std::vector<double> adjusted = holm(p);
    // The comparison that speaks most against the own attack.
    std::size_t worst = 0;
    const auto against = [&](std::size_t k) {
        return large_enough[k]->bad > large_enough[k]->good;
    };
    for (std::size_t k = 1; k < large_enough.size(); ++k) {
        if (against(k) && (!against(worst) || adjusted[k] < adjusted[worst])) worst = k;
    }
    const OwnAgainstOthers& one = *large_enough[worst];
    sign.found = against(worst) && adjusted[worst] < sign_level;
    sign.text = fmt::format(
        "{} fools {} that the own attack leaves, and leaves {} that it fools (exact McNemar test, "
        "p = {:.2g})",
        one.text, how_many(one.bad, "image"), one.good, adjusted[worst]);
    return sign;
}

void put_sign(AttackControl& control, MaskingSign sign) {
    // An earlier run may have found the sign with images of other models.
    const auto old = std::ranges::find(control.signs, sign.name, &MaskingSign::name);
    if (old != control.signs.end() && old->found && !sign.found) return;
    std::erase_if(control.signs, [&](const MaskingSign& one) { return one.name == sign.name; });
    control.signs.push_back(std::move(sign));
    control.verdict = verdict_of(control.signs);
}

std::vector<LoadedModel> Transfers::put_in(
    std::vector<LoadedModel> jobs, std::span<const std::shared_ptr<AttackedModel>> pixels) const {
    std::vector<LoadedModel> all;
    auto next = attacks_.begin();
    for (std::size_t own = 0; own < jobs.size(); ++own) {
        all.push_back(std::move(jobs[own]));
        if (next == attacks_.end() || next->own != own) continue;
        for (std::size_t target = 0; target < models_.size(); ++target) {
            if (target == next->source) continue;
            all.push_back(transferred_model(models_[next->source], models_[target], *next->attack,
                                            next->made, pixels[target], next->definition));
        }
        ++next;
    }
    return all;
}

std::vector<PredictResult> Transfers::taken_out(std::vector<PredictResult> results) {
    if (attacks_.empty()) return results;
    std::vector<PredictResult> own;
    auto next = attacks_.begin();
    for (std::size_t place = 0; place < results.size(); ++place) {
        const bool passed = next != attacks_.end() && next->own == own.size();
        own.push_back(std::move(results[place]));
        if (!passed) continue;
        for (std::size_t target = 1; target < models_.size(); ++target)
            stored_.push_back(std::move(results[++place]));
        ++next;
    }
    return own;
}

void Transfers::know(const PredictResult& clean, std::vector<RowOutcome> before,
                     std::vector<std::vector<RowOutcome>> after,
                     std::span<const PredictResult> jobs) {
    if (attacks_.empty()) return;
    known_.push_back(
        {clean.store, std::move(before), std::move(after), {jobs.begin(), jobs.end()}});
}

TransferredAttack Transfers::cell_of(const PassedAttack& attack, std::size_t target,
                                     const PredictResult& stored,
                                     std::vector<OwnAgainstOthers>& against) const {
    const Known& from = known_[attack.source];
    const PredictionStore store = PredictionStore::open(stored.store);
    const std::vector<RowOutcome> after = attacked_outcomes_of(store, options_.predict.threads);
    const TransferOutcomes outcomes = {from.before, known_[target].before, from.after[attack.job],
                                       after};
    TransferredAttack cell;
    cell.attack = attack.attack->attack;
    cell.eps = attack.attack->options.eps;
    cell.made_on = models_[attack.source].spec.name;
    cell.store = stored.store;
    UnscoredImages unscored = unscored_images(PredictionStore::open(known_[target].clean), store);
    cell.ended_not_finite = std::move(unscored.not_finite);
    cell.unreadable = std::move(unscored.unreadable);
    fill_transfer(cell, outcomes, options_.level);
    // A single step may overshoot, and the others do not follow the gradient.
    constexpr std::array not_compared = {"fgsm", "noise", "square"};
    const bool compared = std::ranges::find(not_compared, cell.attack) == not_compared.end() &&
                          cell.eps > 0 && has_usual_strength(*attack.attack);
    // The jobs of all models are the same.
    if (compared) {
        against.push_back(
            own_against_others(outcomes, known_[target].after[attack.job],
                               fmt::format("{} at {} on {}", cell.attack,
                                           budget_text(cell.eps, options_.norm), cell.made_on)));
    }
    return cell;
}

void Transfers::fill(std::vector<AttackedResult>& results) const {
    std::vector<std::vector<OwnAgainstOthers>> against(models_.size());
    auto stored = stored_.begin();
    for (const PassedAttack& attack : attacks_) {
        for (std::size_t target = 0; target < models_.size(); ++target) {
            if (target == attack.source) continue;
            results[target].transferred.push_back(
                cell_of(attack, target, *stored++, against[target]));
        }
    }
    for (std::size_t m = 0; m < against.size(); ++m) {
        if (!against[m].empty())
            add_sign(results[m].control, transferred_sign(against[m]), known_[m].jobs);
    }
    // The sign may have changed the verdict on the model that images were made on.
    std::vector<std::size_t> filled(models_.size());
    for (const PassedAttack& attack : attacks_) {
        const PredictionStore own =
            PredictionStore::open(known_[attack.source].jobs[attack.job].store);
        for (std::size_t target = 0; target < models_.size(); ++target) {
            if (target == attack.source) continue;
            TransferredAttack& cell = results[target].transferred[filled[target]++];
            cell.verdict = results[attack.source].control.verdict;
            if (options_.control) copy_verdict(own, PredictionStore::open(cell.store));
        }
    }
}

}  // namespace assay::attack
