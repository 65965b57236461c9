#include "cli/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "assay/collective/comm.h"
#include "assay/data/sample.h"
#include "assay/error.h"
#include "assay/report/document.h"
#include "assay/report/page.h"
#include "cli/command.h"
#include "cli/eval_entry.h"
#include "cli/progress.h"
#include "cli/settings_notes.h"
#include "core/text.h"
#include "evaluate/eval/running_accuracy.h"
#include "evaluate/model_trial.h"
#include "evaluate/watched_predict.h"
#include "store/same_data.h"

namespace assay::cli {
namespace {

using evaluate::RunningAccuracy;

/// Excludes the images that determined a preprocessing. The result gets a separate name.
Dataset without_chosen(const Dataset& dataset, const std::vector<EvalEntry>& entries,
                       std::uint64_t& left_out) {
    std::set<std::uint32_t> chosen;
    for (const EvalEntry& entry : entries)
        chosen.insert(entry.choice.items.begin(), entry.choice.items.end());
    left_out = chosen.size();
    if (chosen.empty()) return dataset;
    std::vector<std::uint32_t> rest;
    for (std::uint32_t item = 0; item < dataset.size(); ++item) {
        if (!chosen.contains(item)) rest.push_back(item);
    }
    Dataset out = take_items(dataset, rest);
    out.name = fmt::format("{}-less-{}", dataset.name, chosen.size());
    return out;
}

/// The text of the progress line while the models run.
class Watched {
public:
    Watched(const Dataset& dataset, const std::vector<EvalEntry>& entries, bool random)
        : dataset_(dataset), labelled_(evaluate::count_labelled(dataset)) {
        for (const EvalEntry& entry : entries) {
            running_.emplace_back(entry.model.spec.name,
                                  std::make_unique<RunningAccuracy>(labelled_, random));
        }
    }

    void add(std::size_t entry, const ImageBatch& batch, std::span<const float> scores) {
        if (labelled_ == 0) return;
        const auto count = evaluate::count_batch(dataset_, batch.first_row, batch.states, scores);
        running_[entry].second->add(count.correct, count.images);
    }

    /// `all_here` means that no earlier run has processed some of the images.
    std::string text(bool all_here) const {
        std::string all;
        for (const auto& [name, running] : running_) {
            const std::string text = running->text(all_here);
            if (text.empty()) continue;
            all += (all.empty() ? "accuracy so far " : ", ") +
                   (running_.size() > 1 ? name + " " : std::string()) + text;
        }
        return all;
    }

private:
    const Dataset& dataset_;
    std::uint64_t labelled_;
    std::vector<std::pair<std::string, std::unique_ptr<RunningAccuracy>>> running_;
};

std::vector<PredictResult> predict_all(const std::vector<EvalEntry>& entries,
                                       const Dataset& dataset, const EvalInputs& inputs) {
    // In such an order, all shards would be in memory at once.
    constexpr std::uint64_t most_bytes = std::uint64_t{256} << 20;
    std::uint64_t bytes = 0;
    for (const EvalEntry& entry : entries)
        bytes += dataset.size() * entry.model.classifier->facts().classes * sizeof(float);
    const bool in_hash_order = bytes <= most_bytes;
    Watched watched(dataset, entries, in_hash_order);
    ProgressLine line(dataset.name, entries.size() == 1 ? "images" : "images x models");
    const auto progress = [&](const Progress& done) {
        Progress said = done;
        const std::string text = watched.text(done.skipped == 0);
        said.step = text;
        line.update(said);
    };
    std::vector<LoadedModel> models;
    for (const EvalEntry& entry : entries) models.push_back(entry.model);
    const evaluate::PredictWatch watch{
        [&](std::size_t model, const ImageBatch& images, std::span<const float> scores) {
            watched.add(model, images, scores);
        },
        in_hash_order};
    const std::vector<PredictResult> results =
        evaluate::predict_watched(models, dataset, inputs.predict, *self_comm(), watch, progress);
    line.finish();
    say_notes(dataset, results.front().dataset_notes);
    say_image_notes(dataset, results.front().image_notes, inputs.data.inspect_command(0));
    for (const PredictResult& result : results) {
        for (const std::string& text : result.notes) {
            if (text != evaluate::alone_note)
                note(result.model + ": " + text);  // check_model() already reported it
        }
    }
    for (const std::string& text : report_of(results).warnings) warn(text);
    return results;
}

void write_page(EvalResult& result, const EvalInputs& inputs) {
    ReportOptions options;
    for (const EvaluatedModel& model : result.models) options.paths.push_back(model.store);
    options.title = result.dataset;
    if (!std::ranges::all_of(result.models, &EvaluatedModel::settled))
        options.title += fmt::format(" ({})", not_settled_mark);
    options.command = command_line();
    options.measure = inputs.measure;
    options.measure.gates.clear();
    options.threads = inputs.predict.threads;
    ProgressLine line("report", "items");
    const ReportDocument document = make_report(options, *self_comm(), line);
    line.finish();
    result.report = inputs.predict.runs / "report.html";
    write_report(document, result.report);
}

/// The command to confirm the preprocessing that was found, or "".
std::string next_about_settings(const EvalEntry& entry) {
    if (!entry.choice.best) return "";
    if (entry.choice.outcome != PreprocessingChoice::Outcome::told_apart)
        return entry.command(entry.choice.runner_up->options);
    if (can_save_settings(entry.model.spec))
        return entry.command(entry.choice.best->options + " --save-settings");
    // The command for all images, which uses the settings that were just saved, or otherwise
    // options.
    return entry.command(entry.saved ? std::string() : entry.choice.best->options);
}

/// Commands for the user to type.
std::vector<std::string> next_commands(const EvalResult& result,
                                       const std::vector<EvalEntry>& entries) {
    std::vector<std::string> next;
    const std::string folder = as_typed(result.models.front().store.parent_path().string());
    const auto show = [&](const std::string& id) {
        next.push_back(fmt::format("assay show {} {}", as_typed(id), folder));
    };
    for (const EvalEntry& entry : entries) {
        if (std::string command = next_about_settings(entry); !command.empty())
            next.push_back(std::move(command));
    }
    if (!result.doubted_labels.empty()) show(result.doubted_labels.front().id);
    if (!result.unsure.empty()) show(result.unsure.front().id);
    if (result.labelled > 0) {
        next.push_back(fmt::format("assay score {} --per-class --confusion",
                                   as_typed(result.models.front().store.string())));
    } else {
        next.push_back(entries.front().command("--list labels.csv"));
        if (entries.size() > 1) next.push_back("assay mad init competition " + folder);
    }
    return next;
}

/// Checks before any long work that the models of one result have the same classes.
void check_class_lists(const std::vector<EvalEntry>& entries) {
    const ModelSpec& first = entries.front().model.spec;
    for (const EvalEntry& entry : entries) {
        const ModelSpec& own = entry.model.spec;
        if (store::same_class_ids(first.classes, own.classes)) continue;
        throw Error(
            ErrorCode::usage,
            fmt::format("`{}` and `{}` have different class lists: {}: type `{}` for each, or give "
                        "the right list with --classes FILE",
                        first.name, own.name,
                        store::classes_difference(first.classes, own.classes, store::Sides()),
                        entry.command("--out RUNS")));
    }
}

}  // namespace

EvalResult run_evaluation(const EvalInputs& inputs) {
    std::vector<EvalEntry> entries = opened_entries(inputs);
    check_class_lists(entries);
    // A sample is drawn from the images that no search has used.
    DataFlags whole = inputs.data, part = inputs.data;
    whole.sample.limit = 0;
    part.sample.first = 0;
    const Dataset all = whole.open(0, entries.front().model.spec.classes);
    for (EvalEntry& entry : entries) {
        try {
            if (!inputs.predict.no_trial)
                entry.mixes = batches_mix(entry.model, all, inputs.predict.threads);
        } catch (const Error&) {
            if (!evaluate::process_ended(entry.model)) throw;  // the run itself finds the image
        }
        if (entry.search) {
            choose_for(entry, all, inputs);
        } else if (inputs.save_settings) {
            entry.to_save = inputs.models.settings();
        }
    }
    std::vector<ModelSpec> specs;
    for (const EvalEntry& entry : entries) specs.push_back(entry.model.spec);
    name_apart(specs);
    for (std::size_t m = 0; m < entries.size(); ++m) {
        entries[m].model.spec = specs[m];
        say_settings(specs[m]);
        guard_entry(entries[m], all, inputs);
    }
    EvalResult result;
    const Dataset rest = without_chosen(all, entries, result.left_out);
    if (result.left_out > 0) {
        note(fmt::format("{}: {} chose the preprocessing; the results cover the other {}",
                         rest.name, how_many(result.left_out, "image"), count_text(rest.size())));
    }
    const Dataset dataset = part.sampled(rest, {}, {});
    const std::vector<PredictResult> predicted = predict_all(entries, dataset, inputs);

    result.dataset = dataset.name;
    std::vector<PredictionStore> stores;
    for (std::size_t m = 0; m < entries.size(); ++m) {
        EvaluatedModel model;
        model.model = entries[m].model.spec.name;
        model.store = predicted[m].store;
        model.preprocessing = describe(entries[m].model.spec);
        model.choice = entries[m].choice;
        model.check = entries[m].check;
        model.warnings = entries[m].warnings;
        model.unreadable = predicted[m].bad_rows + entries[m].choice.failed.size();
        result.models.push_back(std::move(model));
        stores.push_back(PredictionStore::open(predicted[m].store));
    }
    std::vector<const PredictionStore*> opened;
    for (const PredictionStore& store : stores) opened.push_back(&store);
    ProgressLine line("score", "items");
    measure(result, opened, inputs.measure, line);
    line.finish();
    for (const std::string& text : result.notes) note(text);
    write_page(result, inputs);
    // Saves the choice now, so that a resumed run uses it.
    for (EvalEntry& entry : entries) save_settings(entry);
    result.next = next_commands(result, entries);
    return result;
}

}  // namespace assay::cli
