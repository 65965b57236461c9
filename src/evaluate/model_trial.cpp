#include "evaluate/model_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "assay/error.h"
#include "core/json_limits.h"
#include "core/json_text.h"
#include "core/memory_budget.h"
#include "core/parallel.h"
#include "core/statistics.h"
#include "evaluate/check/read_sample.h"
#include "evaluate/eval/hash_order.h"
#include "evaluate/prediction_run.h"
#include "model/isolated/supervised.h"
#include "store/parts.h"

namespace assay {
namespace evaluate {
namespace {

using checks::Runner;
using checks::Sample;
using checks::Scores;

constexpr std::size_t trial_batch = 8;
constexpr std::size_t most_tried = 32;
// images for the decision whether single images are more often correct
constexpr std::size_t images_that_decide = 32;
constexpr std::size_t images_per_tried = 200;
constexpr std::size_t fewest_for_order = 14;  // images that one order has correct and others have
                                              // not
constexpr double most_to_warn = 100;
constexpr std::size_t fewest_for_outputs = 8;  // fewer rows may look like probabilities by chance
constexpr double trial_level = 0.001;          // level of each warning: a command runs many models
constexpr const char* images_alone_key = "images_alone";
constexpr std::string_view store_anyway = "To store such scores anyway, add `--no-trial`";

/// The number of labelled images that a warning about their classes needs. 0 if this would be more
/// than a tenth of the images, which costs too much.
std::size_t images_that_warn(const Dataset& dataset, std::size_t classes) {
    const std::size_t tenth = dataset.size() / 10;
    if (tenth < fewest_for_order) return 0;
    // If this many images are all incorrect, the accuracy is below chance.
    const double all_incorrect =
        std::ceil(std::log(trial_level) / std::log1p(-1 / static_cast<double>(classes)));
    const std::size_t most =
        all_incorrect <= most_to_warn ? static_cast<std::size_t>(all_incorrect) : most_tried;
    return std::min(tenth, std::max(most, most_tried));
}

/// The images of the trial. In an archive, these are its first images, because later ones may need
/// a download.
std::vector<std::uint32_t> trial_items(const Dataset& dataset, std::size_t fewest,
                                       std::size_t classes) {
    const std::size_t n =
        std::clamp<std::size_t>(dataset.size() / images_per_tried, fewest, most_tried);
    if (dataset.archive == nullptr) {
        std::vector<std::uint32_t> items =
            first_in_hash_order(dataset, std::max(n, images_that_warn(dataset, classes)));
        if (!is_labelled(dataset, items)) items.resize(std::min(items.size(), n));
        return items;
    }
    std::vector<std::uint32_t> items;
    for (std::uint32_t i = 0; i < std::min(dataset.size(), n); ++i) items.push_back(i);
    return items;
}

/// The images that can be read within the limits of the run.
Sample trial_sample(const Dataset& dataset, const std::vector<std::uint32_t>& items,
                    const Preprocess& p, const PredictOptions& options) {
    MemoryBudget memory(options.image_memory);
    std::vector<std::optional<Image>> windows(items.size());
    parallel_blocks(items.size(), resolve_threads(options.threads), [&](std::size_t i) {
        throw_if_stopped();
        prediction::use_image(dataset, items[i], prediction::decode_limits(options), memory,
                              [&](const Image& image) { windows[i] = crop_window(image, p); });
    });
    Sample sample;
    sample.asked = items.size();
    sample.labelled = true;
    for (std::size_t i = 0; i < items.size(); ++i) {
        sample.labelled = sample.labelled && items[i] < dataset.labels.size() &&
                          !dataset.labels[items[i]].empty();
        if (!windows[i]) continue;
        sample.items.push_back(items[i]);
        sample.windows.push_back(std::move(*windows[i]));
    }
    return sample;
}

/// Runs the first and the last image of the first batch alone, and compares with their scores in
/// the batch.
bool differ_alone(const Runner& runner, const Sample& sample, const Scores& scores,
                  std::size_t batch, const Preprocess& p) {
    const std::size_t last = std::min(batch, sample.size()) - 1;
    std::vector<std::size_t> places = {last};
    // With a fixed batch size, each image fills a batch, so one other image is enough.
    if (last > 0 && runner.fixed_batch() == 0) places.push_back(0);
    std::vector<double> differences(places.size());
    parallel_blocks(places.size(), runner.threads(), [&](std::size_t i) {
        const Scores alone =
            checks::one_by_one(runner, std::span(sample.windows).subspan(places[i], 1), p);
        const auto row = scores.row(places[i]);
        differences[i] = checks::scores_difference(
            alone, {.classes = scores.classes, .values = {row.begin(), row.end()}});
    });
    return *std::ranges::max_element(differences) > runner.tolerance();
}

/// Findings about the scores, and about the order of the classes.
std::vector<Finding> look_at_scores(const Scores& scores, const LoadedModel& model,
                                    const Sample& sample, const Dataset& dataset) {
    std::vector<Finding> found;
    bool finite = true;
    for (Finding& finding : checks::check_outputs(scores, model.spec, sample, dataset)) {
        if (finding.severity < Finding::Severity::warning) continue;
        const bool not_finite = finding.id == "outputs.finite";
        finite = finite && !not_finite;
        if (not_finite || scores.rows() >= fewest_for_outputs) found.push_back(std::move(finding));
    }
    if (!finite || !sample.labelled) return found;
    CheckOptions options;
    options.level = trial_level;
    for (Finding& finding : checks::check_order(scores, sample, dataset, options).findings) {
        if (finding.severity == Finding::Severity::error) found.push_back(std::move(finding));
    }
    if (!found.empty()) return found;
    const auto judged = checks::judge(scores, sample, dataset, checks::given_order(scores.classes));
    const std::size_t correct = checks::count_correct(judged.correct);
    const double chance = 1.0 / static_cast<double>(scores.classes);
    if (clopper_pearson(correct, sample.size(), 1 - 2 * trial_level).high < chance) {
        found.push_back(
            {Finding::Severity::warning, "classes.chance",
             fmt::format("the accuracy, {}, is below chance, 1 in {}",
                         checks::proportion_text(correct, sample.size()), scores.classes),
             fmt::format("exact binomial test at level {}", trial_level), ""});
    }
    return found;
}

/// Returns nothing if no image of the trial can be read, or the model computes none of them. The
/// run then determines whether an image is the cause.
std::optional<ModelTrial> try_model(const LoadedModel& model, const Dataset& dataset,
                                    const PredictOptions& options) {
    const int threads = resolve_threads(options.threads);
    const ModelFacts& facts = model.classifier->facts();
    const Preprocess& p = model.spec.preprocess;
    Sample sample = trial_sample(dataset, trial_items(dataset, 2, facts.classes), p, options);
    if (sample.size() < 2)  // if some cannot be read, tries further images
        sample =
            trial_sample(dataset, trial_items(dataset, trial_batch, facts.classes), p, options);
    if (sample.size() == 0) return std::nullopt;
    const bool any_batch = facts.fixed_batch == 0;
    const std::uint32_t asked = any_batch ? options.batch_size : 0;
    const std::uint32_t batch = asked > 0 ? asked : default_batch_size(facts);
    ModelTrial trial;
    // The run itself searches for an image at which the model fails.
    const Runner runner(*model.classifier, batch, threads, true);
    Scores scores;
    bool differ = false;
    try {
        scores = runner.run(sample.windows, p);
        differ = differ_alone(runner, sample, scores, batch, p);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input) throw;
        return std::nullopt;
    }
    if (differ) {
        // Throws if the scores are random. Otherwise, images of a batch change each other's scores.
        const bool mixes = batches_mix(model, dataset, threads);
        if (mixes && batch > 1) {
            const Sample more =
                trial_sample(dataset, first_in_hash_order(dataset, images_that_decide), p, options);
            batch_of_one(model, more, dataset, threads);
            trial.batch = 1;
            scores = Runner(*model.classifier, 1, threads).run(sample.windows, p);
        }
    }
    trial.findings = look_at_scores(scores, model, sample, dataset);
    return trial;
}

/// The record of the trial in a store of the model; no value if there is no store.
std::optional<std::uint32_t> recorded_trial(const std::filesystem::path& store) {
    constexpr int deepest = 64;
    const auto manifest = store::any_manifest(store);
    if (!manifest) return std::nullopt;
    if (manifest->spec.provenance_json.empty()) return 0;
    const nlohmann::json made = parse_json(manifest->spec.provenance_json, deepest);
    return made.is_object() && made.value(images_alone_key, false) ? 1 : 0;
}

ModelTrial known_or_tried(const LoadedModel& model, const Dataset& dataset,
                          const PredictOptions& options, std::span<const std::string> stored_as) {
    const std::scoped_lock lock(model.trial->mutex);
    std::optional<std::uint32_t>& known = model.trial->batch;
    if (known) return {.batch = *known, .findings = {}};
    if (model.scores) return {};  // a model under attack; the attacked model was already tried
    std::optional<std::uint32_t> begun =
        recorded_trial(options.runs / dataset.name / model.spec.name);
    for (std::size_t i = 0; !begun && i < stored_as.size(); ++i)
        begun = recorded_trial(options.runs / stored_as[i] / model.spec.name);
    if (begun) {
        if (*begun > 0) known = begun;
        return {.batch = *begun, .findings = {}};
    }
    const auto tried = with_note(fmt::format("trying `{}` on a few images", model.spec.name), [&] {
        try {
            return try_model(model, dataset, options);
        } catch (const Error& error) {
            if (error.code() != ErrorCode::out_of_memory) throw;
            return std::optional<ModelTrial>();  // the run halves its batches
        }
    });
    if (!tried) return {};
    known = tried->batch;
    return *tried;
}

/// True if each image affects all others equally, as in means over a batch, so that its place does
/// not matter. With a fixed batch size in the file, it does.
bool has_batch_statistics(const LoadedModel& model, const Sample& sample, int threads) {
    const Preprocess& p = model.spec.preprocess;
    const Runner runner(*model.classifier, trial_batch, threads);
    const std::size_t n =
        runner.fixed_batch() > 0 ? runner.fixed_batch() : std::min(trial_batch, sample.size());
    std::vector<Image> batch(
        sample.windows.begin(),
        sample.windows.begin() + static_cast<std::ptrdiff_t>(std::min(n, sample.size())));
    if (batch.size() < 2) return false;
    batch.resize(n, batch.front());
    const Scores together = runner.run_together(batch, p);
    return checks::difference_by_place(runner, batch, p, together) <= runner.tolerance();
}

}  // namespace

std::vector<std::uint32_t> first_in_hash_order(const Dataset& dataset, std::size_t n) {
    std::vector<std::uint32_t> items = evaluate::items_in_hash_order(dataset);
    items.resize(std::min(items.size(), n));
    return items;
}

bool is_labelled(const Dataset& dataset, const std::vector<std::uint32_t>& items) {
    return !items.empty() && items.front() < dataset.labels.size() &&
           !dataset.labels[items.front()].empty();
}

Finding batch_of_one(const LoadedModel& model, const Sample& sample, const Dataset& dataset,
                     int threads) {
    constexpr double sure = 0.05;
    const auto refuse = [&](const std::string& measured, std::string_view advice) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("`{}`: the scores of an image depend on the other images of its "
                                "batch{}. {} {}",
                                model.spec.path.string(), measured, advice, store_anyway));
    };
    if (has_batch_statistics(model, sample, threads)) {
        refuse(", at any place in the batch",
               "Batch normalisation is in training mode: call model.eval() and export the model "
               "again.");
    }
    if (model.classifier->facts().fixed_batch > 0) {
        refuse("",
               "Batch normalisation may be in training mode: call model.eval() and export the "
               "model again.");
    }
    constexpr std::string_view either =
        "Batch normalisation may be in training mode: call model.eval() and export the model "
        "again. If it was exported for one image, add `--batch 1`.";
    if (!sample.labelled) refuse("", either);
    const Preprocess& p = model.spec.preprocess;
    const auto correct_in = [&](std::size_t batch) {
        const Runner runner(*model.classifier, batch, threads);
        return checks::judge(runner.run(sample.windows, p), sample, dataset,
                             checks::given_order(model.classifier->facts().classes))
            .correct;
    };
    const auto alone = correct_in(1), together = correct_in(trial_batch);
    const std::string measured = fmt::format(
        "{} of {} images are correct alone, {} in batches of {}", checks::count_correct(alone),
        sample.size(), checks::count_correct(together), trial_batch);
    std::uint64_t only_alone = 0, only_together = 0;
    for (std::size_t i = 0; i < alone.size(); ++i) {
        only_alone += alone[i] > together[i] ? 1 : 0;
        only_together += alone[i] < together[i] ? 1 : 0;
    }
    if (only_alone <= only_together || mcnemar(only_alone, only_together).p > sure)
        refuse(" (" + measured + ")", either);
    return {Finding::Severity::warning, "batch.neighbours",
            "the file mixes the images of a batch, so it runs with one image at a time", measured,
            "export the model with any batch size to run it faster"};
}

void remember(const LoadedModel& model, std::uint32_t batch) {
    if (!model.trial) return;
    const std::scoped_lock lock(model.trial->mutex);
    model.trial->batch = batch;
}

bool process_ended(const LoadedModel& model) {
    auto* const supervised = dynamic_cast<isolated::Supervised*>(model.classifier.get());
    return supervised != nullptr && supervised->can_restart() && supervised->process_end();
}

void record_images_alone(StoreSpec& spec) {
    nlohmann::json provenance = nlohmann::json::parse(spec.provenance_json);
    provenance[images_alone_key] = true;
    spec.provenance_json = json_line(provenance);
}

}  // namespace evaluate

bool batches_mix(const LoadedModel& model, const Dataset& dataset, int threads) {
    const int used = resolve_threads(threads);
    const Preprocess& p = model.spec.preprocess;
    const checks::Sample sample = checks::read_sample(
        dataset, evaluate::first_in_hash_order(dataset, evaluate::trial_batch), p, used);
    if (sample.size() == 0) return false;
    const checks::Runner runner(*model.classifier, evaluate::trial_batch, used);
    for (const Finding& finding : checks::check_batch(runner, sample, p)) {
        if (finding.severity < Finding::Severity::warning) continue;
        if (finding.id == "batch.neighbours") return true;
        throw Error(ErrorCode::bad_input,
                    fmt::format("`{}`: {} ({}): dropout, or another random step, is active; call "
                                "model.eval() and export the model again. {}",
                                model.spec.path.string(), finding.title, finding.detail,
                                evaluate::store_anyway));
    }
    return false;
}

std::vector<ModelTrial> try_models(std::span<const LoadedModel> models, const Dataset& dataset,
                                   const PredictOptions& options, Comm& comm,
                                   std::span<const std::string> stored_as) {
    std::vector<ModelTrial> trials(models.size());
    if (options.no_trial || dataset.size() == 0) return trials;
    // The first rank's record decides, because other ranks may have other copies.
    std::vector<std::int64_t> batches(models.size());
    agree(comm, [&] {
        if (comm.rank() != 0) return;
        for (std::size_t m = 0; m < models.size(); ++m) {
            if (models[m].trial)
                trials[m] = evaluate::known_or_tried(models[m], dataset, options, stored_as);
            batches[m] = trials[m].batch;
        }
    });
    comm.all_reduce(batches);
    for (std::size_t m = 0; m < models.size(); ++m) {
        trials[m].batch = static_cast<std::uint32_t>(batches[m]);
        if (trials[m].batch > 0) evaluate::remember(models[m], trials[m].batch);
    }
    return trials;
}

}  // namespace assay
