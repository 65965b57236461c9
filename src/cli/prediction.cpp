#include "cli/prediction.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <utility>

#include "assay/data/sample.h"
#include "assay/evaluate/eval.h"
#include "assay/evaluate/model_trial.h"
#include "assay/model/settings_file.h"
#include "assay/report.h"
#include "cli/described.h"
#include "cli/inputs.h"
#include "cli/progress.h"
#include "cli/ranks.h"
#include "cli/settings_notes.h"
#include "core/paths.h"
#include "data/dataset_name.h"

namespace assay::cli {

void StoreFlags::add_to(CLI::App& app) {
    const std::string group = "Results";
    options.command = command_line();
    add_options(app, options, group);
    app.add_flag("--dry-run", dry_run, "Print the resolved settings and stop")->group(group);
}

void say_settings(const ModelSpec& spec) {
    note(describe(spec));
    if (const std::string keys = keys_without_effect(spec); !keys.empty()) note(keys);
    for (const std::string& text : notes_on_files_like_sidecars(spec)) note(text);
}

void try_and_warn(std::span<const LoadedModel> models, const Dataset& dataset,
                  const PredictOptions& options, Comm& comm, const TypedPrediction& typed,
                  std::span<const std::string> stored_as) {
    const std::vector<ModelTrial> trials = try_models(models, dataset, options, comm, stored_as);
    for (std::size_t m = 0; m < models.size(); ++m) {
        const ModelSpec& spec = models[m].spec;
        const std::string model =
            as_typed(m < typed.models.size() ? typed.models[m] : spec.path.string());
        const std::string data = as_typed(typed.data.empty() ? dataset.root.string() : typed.data);
        const auto start = [&](const std::string& verb) {
            return fmt::format("assay {} -m {} -d {}", verb, model, data);
        };
        const std::string check = command_with(start("check"), typed.options, true, "");
        const auto with = [&](const std::string& more) {
            return typed.verb.empty() ? check + " " + more
                                      : command_with(start(typed.verb), typed.options, false, more);
        };
        for (const Finding& finding : trials[m].findings)
            warn(spec.name + ": " + warning_text(finding, with, check));
    }
}

void Prediction::load(const std::vector<ModelSpec>& specs) {
    for (const ModelSpec& spec : specs) {
        say_settings(spec);
        models_.push_back(load_model(spec, opening_));
    }
}

const ClassList& Prediction::classes() const {
    return models_.at(0).spec.classes;
}

void Prediction::over(const Dataset& dataset) {
    predict_over(dataset, models_);
}

void Prediction::over(const Dataset& dataset, const std::vector<ModelSpec>& specs) {
    std::vector<LoadedModel> models = models_;
    for (std::size_t m = 0; m < models.size(); ++m) {
        Preprocess& preprocess = models[m].spec.preprocess;
        if (preprocess == specs.at(m).preprocess) continue;
        preprocess = specs.at(m).preprocess;
        note(fmt::format("on {}: {}: {}", dataset.name, models[m].spec.name, describe(preprocess)));
    }
    predict_over(dataset, models);
}

Dataset Prediction::enough(const Dataset& dataset, const Until& until, std::uint64_t seed) const {
    try_and_warn(models_, dataset, options_, ranks(), typed_);
    ProgressLine progress(dataset.name + " (pilot)", "images");
    const UntilResult result = images_until(models_, dataset, until, seed, options_, progress);
    progress.finish();
    note(
        fmt::format("{}: {} of {} images give top1 a half width of at most {:.3g}, according to a "
                    "pilot of {} (stratified by class, seed {})",
                    dataset.name, count_text(result.images), count_text(dataset.size()),
                    until.half_width, count_text(result.pilot), seed));
    return stratified_sample(dataset, static_cast<std::size_t>(result.images), seed);
}

template <class Run>
void Prediction::keep(const Dataset& dataset, const std::string& unit, Run&& run) {
    const auto start = std::chrono::steady_clock::now();
    ProgressLine progress(
        dataset.name + (ranks().size() > 1 ? fmt::format(" (rank 0 of {})", ranks().size()) : ""),
        unit);
    std::vector<PredictResult> predicted = run(options_, ProgressCallback(progress));
    // Prints notes on the data set. The first model's notes apply to all models.
    say_notes(dataset, predicted.front().dataset_notes);
    say_image_notes(dataset, predicted.front().image_notes,
                    typed_.inspect.empty() ? "assay inspect " + as_typed(dataset.root.string())
                                           : typed_.inspect);
    for (PredictResult& result : predicted) {
        if (datasets_.empty() || datasets_.back() != result.dataset)
            datasets_.push_back(result.dataset);
        results_.push_back(std::move(result));
    }
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void Prediction::predict_over(const Dataset& dataset, const std::vector<LoadedModel>& models) {
    try_and_warn(models, dataset, options_, ranks(), typed_);
    keep(dataset, models.size() == 1 ? "images" : "images x models",
         [&](const PredictOptions& options, const ProgressCallback& progress) {
             return predict(models, dataset, options, ranks(), progress);
         });
}

void Prediction::over(const Dataset& dataset, const CorruptedVersions& versions) {
    clean_ = dataset.name;
    std::vector<std::string> stored_as;
    for (const CorruptionVersion& which : versions.versions())
        stored_as.push_back(corrupted_dataset_name(dataset.name, which));
    try_and_warn(models_, dataset, options_, ranks(), typed_, stored_as);
    keep(dataset, models_.size() == 1 ? "images x versions" : "images x versions x models",
         [&](const PredictOptions& options, const ProgressCallback& progress) {
             return predict_corrupted(models_, dataset, versions, options, ranks(), progress);
         });
}

void Prediction::print(const Output& output) const {
    output.print(report_of(results_));
    std::uint64_t computed = 0;
    for (const PredictResult& result : results_) computed += result.predicted;
    note(computed == 0 ? std::string("everything was already computed")
                       : fmt::format("{} predictions in {}, {:.0f} per second",
                                     count_text(computed), duration_text(seconds_),
                                     static_cast<double>(computed) / std::max(seconds_, 1e-9)));
    // Versions of a part of the data set are also measured with predictions for the whole.
    std::string clean = clean_;
    if (const std::string whole(name_of_whole(clean));
        !is_there(options_.runs / clean) && is_there(options_.runs / whole))
        clean = whole;
    note(clean.empty()
             ? "next: assay score " + as_typed(options_.runs.string())
             : fmt::format(
                   "next, if the clean images are predicted, too: assay robustness {} --clean {}",
                   as_typed(options_.runs.string()), as_typed(clean)));
}

int Prediction::status() const {
    return report_of(results_).partial ? Status::partial : Status::done;
}

}  // namespace assay::cli
