#include "assay/evaluate/attack.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "assay/error.h"
#include "core/json_text.h"
#include "evaluate/attack_batch.h"
#include "evaluate/attack_cells.h"
#include "evaluate/attack_checked.h"
#include "evaluate/attack_control.h"
#include "evaluate/attack_images.h"
#include "evaluate/attack_names.h"
#include "evaluate/attack_taken.h"
#include "evaluate/attack_transfer.h"
#include "evaluate/scoring_settings.h"
#include "evaluate/smallest_change.h"
#include "store/outcomes.h"

namespace assay {
namespace {

using attack::AttackJob;

constexpr double usual_eps = 8.0 / 255;

bool seeks_smallest(std::string_view attack) {
    return attack != ensemble_attack && attack_named(attack).smallest;
}

/// The size of the change from a black to a white image: the largest one.
double largest_change(Norm norm, const ImageShape& shape) {
    const auto numbers = static_cast<double>(shape.size());
    if (norm == Norm::linf) return 1;
    return norm == Norm::l2 ? std::sqrt(numbers) : numbers;
}

std::vector<std::string_view> parts_of(std::string_view attack) {
    const auto parts = autoattack_parts();
    if (attack == ensemble_attack) return {parts.begin(), parts.end()};
    return {attack_named(attack).name};
}

AttackOptions options_of(std::string_view attack, double eps, const AttackRunOptions& options) {
    AttackOptions own;
    own.eps = eps;
    own.smallest = seeks_smallest(attack);
    own.norm = options.norm;
    own.steps = has_own_steps(attack) ? 0 : options.steps;
    own.seed = options.seed;
    if (attack != "pgd") return own;
    own.restarts = options.restarts;
    if (options.step) own.step_size = options.step->at(eps);
    if (options.paper_literal) {
        own.step_size = eps;
        own.random_start = false;
    }
    return own;
}

std::string variant_of(const AttackJob& cell, const AttackRunOptions& options) {
    const bool pgd = cell.attack == "pgd";
    return attack_variant({.attack = cell.attack,
                           .norm = options.norm,
                           .eps = cell.smallest ? std::nullopt : std::optional(cell.options.eps),
                           .steps = cell.options.steps,
                           .step = pgd ? options.step : std::nullopt,
                           .restarts = cell.options.restarts,
                           .literal = options.paper_literal && pgd,
                           .space = options.space});
}

/// Everything that determines the numbers other than the model's file and the image.
std::string definition_of(const AttackJob& cell, const AttackRunOptions& options,
                          const ModelSpec& model) {
    nlohmann::json made = {{"attack", cell.attack},
                           {"parts", cell.parts},
                           {"eps", cell.options.eps},
                           {"norm", name_of(options.norm)},
                           {"space", name_of(options.space)},
                           {"steps", cell.options.steps},
                           {"step_size", cell.options.step_size},
                           {"random_start", cell.options.random_start},
                           {"targets", cell.options.targets},
                           {"seed", cell.options.seed}};
    add_scoring_settings(model, made);
    // Absent for one run, so that stores of earlier versions have the same definition.
    if (cell.options.restarts > 1) made["restarts"] = cell.options.restarts;
    return json_line(made);
}

bool needs_gradients(std::span<const std::string> attacks) {
    return std::ranges::any_of(attacks, [](const std::string& attack) {
        return std::ranges::any_of(
            parts_of(attack), [](std::string_view part) { return attack_named(part).gradients; });
    });
}

/// No two images are farther apart than a black and a white image.
void check_budgets(const AttackRunOptions& options, const ImageShape& shape) {
    const double most = largest_change(options.norm, shape);
    for (const double eps : options.eps) {
        if (options.norm == Norm::l0 && eps != std::round(eps)) {
            throw Error(ErrorCode::usage,
                        fmt::format("eps {} is not a whole number; l0 counts the changed numbers "
                                    "of an image: write --eps {:.0f}",
                                    eps, std::max(std::round(eps), 1.0)));
        }
        if (eps >= 0 && eps <= most) continue;
        throw Error(ErrorCode::usage,
                    fmt::format("eps {} is not between 0 and {:.4g}, the {} distance between a "
                                "black and a white image of {} x {} x {}",
                                eps, most, name_of(options.norm), shape.channels, shape.height,
                                shape.width));
    }
}

void check_run(const AttackRunOptions& options, std::span<const std::string> attacks,
               std::size_t models, const Dataset& dataset) {
    check_taken(options, attacks);
    if (!options.images.empty() && models > 1) {
        throw Error(ErrorCode::usage,
                    "adversarial images are made for one model: name exactly one");
    }
    if (!options.images.empty() && options.space != AttackSpace::pixels) {
        throw Error(
            ErrorCode::usage,
            fmt::format(
                "in the space {} the attacked input is not an image, so nothing can be saved",
                name_of(options.space)));
    }
    for (const std::string& attack : attacks) {
        for (const std::string_view part : parts_of(attack)) {
            if (const Attack& one = attack_named(part); !one.takes(options.norm)) {
                throw Error(ErrorCode::usage,
                            fmt::format("{}: pass {}", one.norms_text(),
                                        one.takes(Norm::linf) ? "--norm linf" : "--norm l2"));
            }
            if (options.space == AttackSpace::normalised_clamped && part != "fgsm" &&
                part != "pgd" && part != "noise") {
                throw Error(
                    ErrorCode::usage,
                    fmt::format(
                        "the space normalised-clamped is defined for fgsm and pgd only, not for {}",
                        part));
            }
        }
    }
    for (std::size_t i = 0; i < dataset.size(); ++i) {
        if (dataset.single_label(i) >= 0) return;
    }
    throw Error(ErrorCode::bad_input,
                fmt::format("no image of `{}` has exactly one label: an attack starts from a "
                            "correct prediction. Pass labels with --list FILE",
                            dataset.name));
}

/// The results from the stores of one model.
struct StoresSay {
    std::vector<RowOutcome> before;
    std::vector<std::vector<RowOutcome>> after;    ///< by job
    std::vector<std::uint32_t> batch_sizes;        ///< by job
    std::vector<attack::UnscoredImages> unscored;  ///< by job
};

StoresSay read_stores(const PredictResult& clean, std::span<const PredictResult> attacked,
                      int threads) {
    StoresSay say;
    const PredictionStore whole = PredictionStore::open(clean.store);
    say.before = outcomes_of(whole, threads);
    for (const PredictResult& one : attacked) {
        const PredictionStore store = PredictionStore::open(one.store);
        say.after.push_back(attacked_outcomes_of(store, threads));
        say.batch_sizes.push_back(store.spec().batch_size);
        say.unscored.push_back(attack::unscored_images(whole, store));
    }
    return say;
}

/// The place of the saved images of a job in the results.
std::optional<SavedAttack>& saved_of(AttackedResult& result, const AttackJob& job) {
    if (job.smallest) {
        return std::ranges::find(result.smallest, job.attack, &SmallestChanges::attack)->saved;
    }
    return std::ranges::find_if(result.cells,
                                [&](const AttackCell& cell) {
                                    return cell.attack == job.attack && cell.eps == job.options.eps;
                                })
        ->saved;
}

/// Reads the images of `jobs` back, for one model. `cells` has all jobs of the model.
void add_saved(attack::AttackImages& images, const std::vector<const AttackJob*>& jobs,
               std::span<const std::unique_ptr<AttackJob>> cells, StoresSay say,
               AttackedResult& result, const ProgressCallback& callback) {
    std::vector<std::size_t> places;
    std::vector<std::vector<RowOutcome>> attacked;
    std::vector<std::uint32_t> batch_sizes;
    for (std::size_t c = 0; c < cells.size(); ++c) {
        if (std::ranges::find(jobs, cells[c].get()) == jobs.end()) continue;
        places.push_back(c);
        attacked.push_back(std::move(say.after[c]));
        batch_sizes.push_back(say.batch_sizes[c]);
    }
    const auto saved = images.finish(say.before, attacked, batch_sizes, callback);
    for (std::size_t j = 0; j < places.size(); ++j) saved_of(result, *cells[places[j]]) = saved[j];
    result.examples = images.examples();
}

/// Adds the changes that a search found, with a cell for each budget. `cell` has the store and its
/// counts.
void add_smallest(AttackedResult& result, const AttackJob& job, AttackCell cell,
                  const std::vector<attack::AttackCounts>& counts, std::span<const double> budgets,
                  std::span<const RowOutcome> before, std::span<const RowOutcome> after,
                  double level) {
    SmallestChanges found = attack::smallest_changes(job.attack, counts, before, after, level);
    found.store = cell.store;
    found.table = cell.store / "radii.csv";
    attack::write_radii(found.table, PredictionStore::open(cell.store).dataset(), found);
    cell.of_curve = true;
    for (const double eps : budgets) {
        if (eps > job.options.eps) continue;
        cell.eps = eps;
        attack::fill_cell(cell, before, attack::outcomes_within(found.radii, before, eps), level);
        result.cells.push_back(cell);
    }
    result.smallest.push_back(std::move(found));
}

AttackedResult result_of(const PredictResult& clean, std::span<const PredictResult> attacked,
                         std::span<const std::unique_ptr<AttackJob>> cells, const StoresSay& say,
                         std::span<const double> curve, double level) {
    const std::vector<RowOutcome>& before = say.before;
    AttackedResult result;
    result.model = clean.model;
    result.dataset = clean.dataset;
    result.notes = clean.notes;
    result.bad_rows = clean.bad_rows;
    result.first_error = clean.first_error;
    std::map<double, std::map<std::string, const std::vector<RowOutcome>*>> kept;
    for (std::size_t c = 0; c < cells.size(); ++c) {
        AttackCell cell;
        cell.attack = cells[c]->attack;
        cell.eps = cells[c]->options.eps;
        cell.store = attacked[c].store;
        cell.ended_not_finite = say.unscored[c].not_finite;
        cell.unreadable = say.unscored[c].unreadable;
        for (const std::string_view part : cells[c]->parts) {
            if (cells[c]->parts.size() > 1) cell.by.emplace_back(part, 0);
        }
        const std::vector<attack::AttackCounts> counts = attack::counts_of(cell.store);
        attack::add_counts(counts, cell);
        if (cells[c]->smallest) {
            add_smallest(result, *cells[c], std::move(cell), counts, curve, before, say.after[c],
                         level);
            continue;
        }
        attack::fill_cell(cell, before, say.after[c], level);
        if (cell.attack == "fgsm" || cell.attack == "pgd")
            kept[cell.eps][cell.attack] = &say.after[c];
        result.cells.push_back(std::move(cell));
    }
    std::ranges::stable_sort(result.cells, {}, &AttackCell::eps);
    for (const auto& [eps, both] : kept) {
        if (both.size() == 2) {
            result.geometric_mean.emplace_back(
                eps,
                attack::geometric_mean_of(before, *both.at("fgsm"), *both.at("pgd"), level).value);
        }
    }
    // The model without an attack: its clean accuracy.
    AttackCell itself;
    attack::fill_cell(itself, before, before, level);
    result.clean = itself.accuracy;
    result.correct = itself.robust;
    result.images = itself.accuracy.n;
    result.without = before.size() - result.images;
    result.signs = attack::signs_of(result, cells.front()->options.norm);
    return result;
}

}  // namespace

ControlPasses max_control_passes(const AttackRunOptions& options) {
    if (!options.control) return {};
    const attack::ControlBudget most =
        attack::control_budget(1, needs_gradients(all_attacks(options)));
    return {most.forward, most.backward};
}

std::string_view name_of(ImageForm form) {
    return form == ImageForm::npy ? "npy" : "png";
}

std::vector<AttackedResult> attack_models(std::span<const LoadedModel> models,
                                          const Dataset& dataset, const AttackRunOptions& options,
                                          const ProgressCallback& callback) {
    std::vector<std::string> attacks;
    for (const std::string& attack : options.attacks) {
        if (std::ranges::find(attacks, attack) == attacks.end()) attacks.push_back(attack);
    }
    if (attacks.empty()) attacks = usual_attacks();
    check_run(options, attacks, models.size(), dataset);
    if (options.transfer) attack::check_transfer(models, options, attacks);
    const bool noise_asked_for =
        std::ranges::find(options.attacks, "noise") != options.attacks.end();
    if (!noise_asked_for && !std::ranges::all_of(attacks, seeks_smallest))
        attacks.insert(attacks.begin(), "noise");
    std::vector<double> budgets = options.eps;
    if (budgets.empty()) budgets.push_back(usual_eps);
    std::ranges::sort(budgets);
    budgets.erase(std::unique(budgets.begin(), budgets.end()), budgets.end());
    const std::span<const double> curve =
        options.eps.empty() ? usual_budgets(options.norm) : std::span<const double>(budgets);

    std::vector<std::vector<std::unique_ptr<AttackJob>>> cells(models.size());
    std::unique_ptr<attack::AttackImages> images;
    std::vector<const AttackJob*> with_images;
    std::vector<std::string> definitions;
    std::vector<LoadedModel> attacked;
    attack::Transfers transfers(models, options);
    std::vector<std::shared_ptr<AttackedModel>> pixel_models;
    for (std::size_t m = 0; m < models.size(); ++m) {
        const LoadedModel& model = models[m];
        const std::shared_ptr<AttackedModel> pixels =
            pixel_model(model.classifier, model.spec.preprocess, options.space);
        pixel_models.push_back(pixels);
        check_budgets(options, pixels->shape());
        if (needs_gradients(attacks)) {
            with_note(fmt::format("trying the gradient of `{}`", model.spec.name),
                      [&] { try_gradient(*pixels); });
        }
        const auto clean_scores = std::make_shared<attack::CleanScores>(pixels);
        struct Wanted {
            std::string name;
            double eps;
        };
        std::vector<Wanted> wanted;
        for (const double eps : budgets) {
            for (const std::string& name : attacks) {
                if (!seeks_smallest(name)) wanted.push_back({name, eps});
            }
        }
        for (const std::string& name : attacks) {
            if (seeks_smallest(name))
                wanted.push_back({name, largest_change(options.norm, pixels->shape())});
        }
        for (const Wanted& one : wanted) {
            const std::string& name = one.name;
            cells[m].push_back(std::make_unique<AttackJob>());
            AttackJob& cell = *cells[m].back();
            cell.smallest = seeks_smallest(name);
            cell.attack = name;
            cell.parts = parts_of(name);
            cell.options = options_of(name, one.eps, options);
            cell.variant = variant_of(cell, options);
            cell.kind = model.spec.outputs;
            cell.storage = options.predict.storage.storage;
            LoadedModel changed = model;
            changed.spec.name = fmt::format("{}@{}", model.spec.name, cell.variant);
            cell.store = options.predict.runs / dataset.name / changed.spec.name;
            changed.spec.preprocess = attacked_preprocess(model.spec.preprocess, options.space);
            changed.scored_by = definition_of(cell, options, model.spec);
            attack::BatchAttack::Keep keep;
            const bool asked_for = name != "noise" || noise_asked_for;
            if (!options.images.empty() && asked_for) {
                with_images.push_back(&cell);
                definitions.push_back(changed.scored_by);
                keep = [&images, &cell](const ImageBatch& batch, std::span<const float> made) {
                    images->write(cell, batch, made);
                };
            }
            attack::BatchAttack made(pixels, clean_scores, dataset, cell, std::move(keep));
            if (options.transfer && asked_for) {
                made.share();
                transfers.add(
                    {m, cells[m].size() - 1, attacked.size(), &cell, made, changed.scored_by});
            }
            changed.scores = std::move(made);
            attacked.push_back(std::move(changed));
        }
        if (!with_images.empty()) {
            images = std::make_unique<attack::AttackImages>(model, pixels, dataset, with_images,
                                                            options, definitions);
        }
    }

    const auto clean = predict(models, dataset, options.predict, callback);
    PredictOptions own = options.predict;
    own.shard_per_batch = true;
    // All stores of a transfer need the same batches, also those of an earlier command.
    if (options.transfer) own.batch_size = attack::same_batch_size(models, clean);
    const auto results = transfers.taken_out(
        predict(transfers.put_in(std::move(attacked), pixel_models), dataset, own, callback));

    std::vector<AttackedResult> all;
    std::size_t first = 0;
    for (std::size_t m = 0; m < models.size(); ++m) {
        const auto own_results = std::span(results).subspan(first, cells[m].size());
        StoresSay say = read_stores(clean[m], own_results, options.predict.threads);
        all.push_back(result_of(clean[m], own_results, cells[m], say, curve, options.level));
        if (options.control) {
            const attack::CheckedModel checked = {.model = models[m],
                                                  .pixels = *pixel_models[m],
                                                  .dataset = dataset,
                                                  .options = options,
                                                  .jobs = cells[m],
                                                  .clean = say.before,
                                                  .attacked = say.after,
                                                  .gradients = needs_gradients(attacks)};
            all.back().control =
                attack::checked_attacks(checked, clean[m], own_results, all.back(), callback);
        }
        if (images != nullptr)  // only with a single model
            add_saved(*images, with_images, cells[m], std::move(say), all.back(), callback);
        transfers.know(clean[m], std::move(say.before), std::move(say.after), own_results);
        first += cells[m].size();
    }
    transfers.fill(all);
    return all;
}

}  // namespace assay
