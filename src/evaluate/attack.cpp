#include "assay/evaluate/attack.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "core/hash.h"
#include "core/json_text.h"
#include "evaluate/attack_cells.h"

namespace assay {
namespace {

constexpr std::string_view ensemble = "autoattack";
/// Images on which pgd is run once more with ten times its steps.
constexpr std::uint64_t repeated_images = 16;

std::vector<std::string_view> parts_of(std::string_view attack) {
    const auto parts = autoattack_parts();
    if (attack == ensemble) return {parts.begin(), parts.end()};
    return {attack_named(attack).name};
}

/// What one attack with one budget is, and what has been counted of it.
struct AttackJob {
    std::string attack;
    std::vector<std::string_view> parts;
    AttackOptions options;
    std::mutex mutex;
    AttackCell counted;
};

AttackOptions options_of(std::string_view attack, double eps, const AttackRunOptions& options) {
    AttackOptions own;
    own.eps = eps;
    own.norm = options.norm;
    own.steps = attack == "fgsm" || attack == "noise" || attack == ensemble ? 0 : options.steps;
    own.seed = options.seed;
    if (options.paper_literal && attack == "pgd") {
        own.step_size = eps;
        own.random_start = false;
    }
    return own;
}

/// The store's name beside the model's own.
std::string name_of_cell(const std::string& model, const AttackJob& cell,
                         const AttackRunOptions& options) {
    std::string eps = eps_text(cell.options.eps);
    std::replace(eps.begin(), eps.end(), '/', '_');
    std::string name = fmt::format("{}@{}-{}-{}", model, cell.attack, name_of(options.norm), eps);
    if (cell.options.steps > 0) name += fmt::format("-{}steps", cell.options.steps);
    if (options.paper_literal && cell.attack == "pgd") name += "-literal";
    if (options.space == AttackSpace::normalised_clamped) name += "-normalised";
    return name;
}

/// All that decides the numbers beside the model and the image.
std::string definition_of(const AttackJob& cell, const AttackRunOptions& options,
                          const Preprocess& preprocess) {
    return json_line({{"attack", cell.attack},
                      {"parts", cell.parts},
                      {"eps", cell.options.eps},
                      {"norm", name_of(options.norm)},
                      {"space", name_of(options.space)},
                      {"steps", cell.options.steps},
                      {"step_size", cell.options.step_size},
                      {"random_start", cell.options.random_start},
                      {"targets", cell.options.targets},
                      {"seed", cell.options.seed},
                      {"preprocess", fingerprint(preprocess)}});
}

/// What an image's draws are keyed by: its id, so that a sample of a data set draws as the whole.
std::uint64_t number_of(std::string_view id) {
    const std::string hash = hash_text(id);
    const std::string_view digits = std::string_view(hash).substr(hash.find(':') + 1, 16);
    std::uint64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
    return number;
}

/// Attacks the images of a batch that are classified correctly.
class BatchAttack {
public:
    BatchAttack(std::shared_ptr<AttackedModel> model, const Dataset& dataset, AttackJob& cell)
        : model_(std::move(model)), dataset_(dataset), cell_(cell) {}

    void operator()(const ImageBatch& batch, std::span<float> out) const {
        model_->scores(batch.input, batch.n, out);
        const Chosen chosen = correct_ones(batch, out);
        if (chosen.places.empty()) return;
        const AttackBatch attacked = {chosen.images, chosen.labels, chosen.items};
        const EnsembleResult result = run_ensemble(cell_.parts, *model_, attacked, cell_.options);
        std::vector<float> images(batch.input.begin(), batch.input.end());
        const std::size_t size = batch.input.size() / batch.n;
        for (std::size_t k = 0; k < chosen.places.size(); ++k) {
            std::copy_n(result.result.images.begin() + static_cast<std::ptrdiff_t>(k * size), size,
                        images.begin() + static_cast<std::ptrdiff_t>(chosen.places[k] * size));
        }
        // What is stored is what the model says of the images as they are, in this batch.
        model_->scores(images, batch.n, out);
        const auto early =
            std::ranges::lower_bound(chosen.places, repeated_images, {},
                                     [&](std::size_t place) { return batch.first_row + place; });
        count(result, attacked, static_cast<std::size_t>(early - chosen.places.begin()));
    }

private:
    struct Chosen {
        std::vector<std::size_t> places;
        std::vector<float> images;
        std::vector<std::uint32_t> labels;
        std::vector<std::uint64_t> items;
    };

    Chosen correct_ones(const ImageBatch& batch, std::span<const float> scores) const {
        Chosen chosen;
        const std::size_t classes = model_->classes();
        const std::size_t size = batch.input.size() / batch.n;
        for (std::size_t i = 0; i < batch.n; ++i) {
            const auto item = static_cast<std::size_t>(batch.first_row) + i;
            const std::int32_t label = dataset_.single_label(item);
            if (label < 0 || batch.states[i] != RowState::ok) continue;
            const auto row = scores.subspan(i * classes, classes);
            const auto best = std::max_element(row.begin(), row.end()) - row.begin();
            if (best != label || !std::isfinite(row[static_cast<std::size_t>(best)])) continue;
            chosen.places.push_back(i);
            const auto image = batch.input.subspan(i * size, size);
            chosen.images.insert(chosen.images.end(), image.begin(), image.end());
            chosen.labels.push_back(static_cast<std::uint32_t>(label));
            chosen.items.push_back(number_of(dataset_.ids[item]));
        }
        return chosen;
    }

    /// The first `early` images of the batch are attacked once more, for longer.
    void count(const EnsembleResult& result, const AttackBatch& batch, std::size_t early) const {
        std::uint64_t longer = 0, fooled = 0, repeated = 0;
        if (cell_.attack == "pgd" && early > 0) {
            AttackOptions more = cell_.options;
            more.steps = 10 * (more.steps > 0 ? more.steps : attack_named("pgd").steps);
            const std::size_t size = model_->shape().size();
            const AttackBatch first = {batch.images.first(early * size), batch.labels.first(early),
                                       batch.items.first(early)};
            const AttackResult again = run_attack(attack_named("pgd"), *model_, first, more);
            repeated = early;
            for (std::size_t i = 0; i < repeated; ++i) {
                longer += again.fooled[i];
                fooled += result.result.fooled[i];
            }
        }
        const std::scoped_lock lock(cell_.mutex);
        AttackCell& sum = cell_.counted;
        sum.attacked += batch.labels.size();
        for (const std::uint8_t zero : result.result.zero_gradient) sum.zero_gradients += zero;
        for (const std::uint8_t broken : result.result.not_finite) sum.not_finite += broken;
        sum.forward += result.result.forward;
        sum.backward += result.result.backward;
        for (const int by : result.by) {
            if (by >= 0 && cell_.parts.size() > 1) ++sum.by[static_cast<std::size_t>(by)].second;
        }
        sum.repeated += repeated;
        sum.repeated_fooled += fooled;
        sum.repeated_fooled_longer += longer;
    }

    std::shared_ptr<AttackedModel> model_;
    const Dataset& dataset_;
    AttackJob& cell_;
};

bool needs_gradients(std::span<const std::string> attacks) {
    return std::ranges::any_of(attacks, [](const std::string& attack) {
        return std::ranges::any_of(
            parts_of(attack), [](std::string_view part) { return attack_named(part).gradients; });
    });
}

/// Says what is missing before an hour has passed: a gradient of a grey image.
void try_gradient(AttackedModel& model, std::string_view name) {
    const std::vector<float> image(model.shape().size(), .5F);
    std::vector<float> scores(model.classes());
    std::vector<float> gradient(image.size());
    double loss = 0;
    const std::uint32_t label = 0;
    with_note(fmt::format("trying the gradient of `{}`", name), [&] {
        model.gradients({Loss::cross_entropy, image, {&label, 1}, {}},
                        {scores, {&loss, 1}, gradient});
    });
}

void check_run(const AttackRunOptions& options, std::span<const std::string> attacks,
               const Dataset& dataset) {
    if (options.eps.empty()) throw Error(ErrorCode::usage, "no eps given");
    for (const std::string& attack : attacks) {
        for (const std::string_view part : parts_of(attack)) {
            if (options.norm == Norm::l2 && !attack_named(part).l2) {
                throw Error(ErrorCode::usage,
                            fmt::format("{} is defined for the norm linf only", part));
            }
            if (options.space == AttackSpace::normalised_clamped && part != "fgsm" &&
                part != "pgd" && part != "noise") {
                throw Error(ErrorCode::usage,
                            fmt::format("the space normalised-clamped is that of a published "
                                        "protocol of fgsm and pgd; {} has none there",
                                        part));
            }
        }
    }
    for (std::size_t i = 0; i < dataset.size(); ++i) {
        if (dataset.single_label(i) >= 0) return;
    }
    throw Error(ErrorCode::bad_input,
                fmt::format("no image of `{}` has exactly one label: an attack starts from a "
                            "correct prediction",
                            dataset.name));
}

AttackedResult result_of(const PredictResult& clean, std::span<const PredictResult> attacked,
                         std::span<const std::unique_ptr<AttackJob>> cells, double level) {
    using attack::Outcome;
    AttackedResult result;
    result.model = clean.model;
    result.dataset = clean.dataset;
    result.notes = clean.notes;
    result.bad_rows = clean.bad_rows;
    result.first_error = clean.first_error;
    const auto before = attack::outcomes_of(clean.store);
    std::map<double, std::map<std::string, std::vector<Outcome>>> kept;
    for (std::size_t c = 0; c < cells.size(); ++c) {
        AttackCell cell = cells[c]->counted;
        cell.attack = cells[c]->attack;
        cell.eps = cells[c]->options.eps;
        cell.store = attacked[c].store;
        auto after = attack::outcomes_of(cell.store);
        attack::fill_cell(cell, before, after, level);
        if (cell.attack == "fgsm" || cell.attack == "pgd")
            kept[cell.eps][cell.attack] = std::move(after);
        result.cells.push_back(std::move(cell));
    }
    for (const auto& [eps, both] : kept) {
        if (both.size() == 2) {
            result.geometric_mean.emplace_back(
                eps, attack::geometric_mean_of(before, both.at("fgsm"), both.at("pgd"), level));
        }
    }
    // What is left of itself: its accuracy without an attack.
    AttackCell itself;
    attack::fill_cell(itself, before, before, level);
    result.clean = itself.accuracy;
    result.correct = itself.robust;
    result.images = itself.accuracy.n;
    result.without = before.size() - result.images;
    result.signs = attack::signs_of(result);
    return result;
}

}  // namespace

double parse_eps(std::string_view text) {
    const auto number = [&](std::string_view part) {
        double value = 0;
        const auto [end, problem] = std::from_chars(part.data(), part.data() + part.size(), value);
        if (problem != std::errc() || end != part.data() + part.size() || !std::isfinite(value)) {
            throw Error(ErrorCode::usage,
                        fmt::format("eps `{}`: expected a number like 8/255 or 0.03", text));
        }
        return value;
    };
    const auto slash = text.find('/');
    double eps = number(text.substr(0, slash));
    if (slash != std::string_view::npos) {
        const double below = number(text.substr(slash + 1));
        if (!(below > 0)) {
            throw Error(ErrorCode::usage,
                        fmt::format("eps `{}`: what it is divided by must be above 0", text));
        }
        eps /= below;
    }
    if (eps < 0)
        throw Error(ErrorCode::usage, fmt::format("eps `{}` is below 0; the least is 0", text));
    if (eps > 1) {
        throw Error(ErrorCode::usage,
                    fmt::format("eps `{}` is above 1, the whole range of a pixel; did you mean "
                                "{}/255?",
                                text, text));
    }
    return eps;
}

std::string eps_text(double eps) {
    const double levels = eps * 255;
    const double rounded = std::round(levels * 1000) / 1000;
    if (std::abs(levels - rounded) < 1e-9 && rounded < 256)
        return rounded == 0 ? "0" : fmt::format("{}/255", rounded);
    return fmt::format("{}", eps);
}

std::vector<AttackedResult> attack_models(std::span<const LoadedModel> models,
                                          const Dataset& dataset, const AttackRunOptions& options,
                                          const ProgressCallback& callback) {
    std::vector<std::string> attacks;
    for (const std::string& attack : options.attacks) {
        if (std::ranges::find(attacks, attack) == attacks.end()) attacks.push_back(attack);
    }
    if (attacks.empty()) attacks = {"fgsm", "pgd"};
    if (std::ranges::find(attacks, "noise") == attacks.end())
        attacks.insert(attacks.begin(), "noise");
    check_run(options, attacks, dataset);
    std::vector<double> budgets = options.eps;
    std::ranges::sort(budgets);
    budgets.erase(std::unique(budgets.begin(), budgets.end()), budgets.end());

    std::vector<std::vector<std::unique_ptr<AttackJob>>> cells(models.size());
    std::vector<LoadedModel> attacked;
    for (std::size_t m = 0; m < models.size(); ++m) {
        const LoadedModel& model = models[m];
        const std::shared_ptr<AttackedModel> pixels =
            pixel_model(model.classifier, model.spec.preprocess, options.space);
        if (needs_gradients(attacks)) try_gradient(*pixels, model.spec.name);
        for (const double eps : budgets) {
            for (const std::string& name : attacks) {
                cells[m].push_back(std::make_unique<AttackJob>());
                AttackJob& cell = *cells[m].back();
                cell.attack = name;
                cell.parts = parts_of(name);
                cell.options = options_of(name, eps, options);
                for (const std::string_view part : cell.parts) {
                    if (cell.parts.size() > 1) cell.counted.by.emplace_back(part, 0);
                }
                LoadedModel changed = model;
                changed.spec.name = name_of_cell(model.spec.name, cell, options);
                changed.spec.preprocess = attacked_preprocess(model.spec.preprocess, options.space);
                changed.scored_by = definition_of(cell, options, model.spec.preprocess);
                changed.scores = BatchAttack(pixels, dataset, cell);
                attacked.push_back(std::move(changed));
            }
        }
    }

    const auto clean = predict(models, dataset, options.predict, callback);
    PredictOptions own = options.predict;
    own.shard_per_batch = true;
    const auto results = predict(attacked, dataset, own, callback);

    std::vector<AttackedResult> all;
    std::size_t first = 0;
    for (std::size_t m = 0; m < models.size(); ++m) {
        all.push_back(result_of(clean[m], std::span(results).subspan(first, cells[m].size()),
                                cells[m], options.level));
        first += cells[m].size();
    }
    return all;
}

}  // namespace assay
