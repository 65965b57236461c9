#include "cli/evaluation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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
#include "cli/progress.h"
#include "cli/settings_notes.h"
#include "core/file.h"
#include "core/paths.h"
#include "core/text.h"
#include "evaluate/eval/running_accuracy.h"
#include "evaluate/watched_predict.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;
using evaluate::RunningAccuracy;

/// One model on its way to a number.
struct Entry {
    ModelOpener opener;
    std::string command;  ///< to type before options: "assay eval m.pt photos"
    bool search = false;  ///< nothing says how its input is prepared
    LoadedModel model;    ///< opened as chosen; until then in any way
    bool mixes = false;   ///< images of one batch
    std::uint32_t batch = 0;
    PreprocessingChoice choice;
    std::vector<std::string> warnings;
};

/// "assay eval m.pt photos --list labels.csv".
std::string command_for(const EvalInputs& inputs, std::size_t file) {
    std::string command = "assay eval " + as_typed(inputs.models.files[file].string()) + " " +
                          as_typed(inputs.data.folders.front().string());
    const auto add = [&](std::string_view option, const std::string& value) {
        if (!value.empty()) command += fmt::format(" {} {}", option, as_typed(value));
    };
    add("--list", inputs.data.list.string());
    if (inputs.models.settings().contains("classes"))
        add("--classes", inputs.models.settings()["classes"].get<std::string>());
    if (inputs.predict.runs != PredictOptions().runs) add("--out", inputs.predict.runs.string());
    return command;
}

ModelOpener opener_for(const EvalInputs& inputs, std::size_t file) {
    const ModelFlags& models = inputs.models;
    ModelSettings flags = models.settings();
    if (!models.names.empty()) flags["name"] = models.names[file];
    return {[&models, file, flags](const ModelSettings& settings) {
                ModelSettings merged = flags;
                merged.update(settings);
                return resolve_with_sidecar(models.files[file], models.sidecars, merged,
                                            models.opening());
            },
            [opening = models.opening()](ModelSpec spec) {
                return load_model(std::move(spec), opening);
            }};
}

/// Opens the model as it is given, or, where nothing says how its input is prepared, in any way.
void open_entry(Entry& entry, const EvalInputs& inputs) {
    std::optional<ModelSpec> spec;
    try {
        spec = entry.opener.resolve(ModelSettings::object());
        entry.model = entry.opener.open(*spec);
        return;
    } catch (const Error& error) {
        if (error.code() == ErrorCode::usage) {
            entry.search = true;
        } else if (error.code() == ErrorCode::bad_input && spec) {
            CheckOptions options;
            options.reopen = [&](const ModelSpec& other) {
                return open_classifier(other, inputs.models.opening());
            };
            const auto finding = refused_size(*spec, options, error.message());
            if (!finding) throw;
            throw Error(ErrorCode::bad_input,
                        fmt::format("{}: {}; type `{} {}`", spec->name, finding->title,
                                    entry.command, finding->advice));
        } else {
            throw;
        }
    }
    // A preset is what was missing if it opens with one; else this throws what is wrong.
    entry.model = open_at_any_size(entry.opener);
}

/// Writes what was chosen, or typed, beside the model.
void save_settings(const Entry& entry, const ModelSettings& settings) {
    const fs::path& model = entry.model.spec.path;
    if (!entry.model.spec.sidecar.empty()) {
        note(fmt::format("--save-settings: {} exists and is not changed",
                         entry.model.spec.sidecar.string()));
        return;
    }
    if (settings.empty() || !fs::is_regular_file(model)) {
        note(fmt::format("--save-settings: the model itself says how {} is prepared",
                         entry.model.spec.name));
        return;
    }
    std::string text = "# How the input of " + model.filename().string() + " is prepared.\n";
    for (const auto& [key, value] : settings.items())
        text += fmt::format("{} = {}\n", key, value.dump());
    const fs::path file = fs::path(model).replace_extension(".toml");
    write_file_atomically(file, text);
    note(fmt::format("{}: settings saved; all commands read them", file.string()));
}

/// Finds the preprocessing; throws where it cannot be found.
void choose(Entry& entry, const Dataset& dataset, const EvalInputs& inputs) {
    const std::string name = entry.model.spec.name;
    SearchOptions options;
    options.threads = inputs.predict.threads;
    if (entry.mixes) options.batch = 1;
    ProgressLine line(name, "images x ways");
    entry.choice = choose_preprocessing(entry.opener, dataset, options, line);
    line.finish();
    if (!entry.choice.usable())
        throw Error(ErrorCode::usage, why_stopped(entry.choice, name, entry.command));
    note(fmt::format("{}: {} ({})", name, describe(entry.choice),
                     duration_text(entry.choice.seconds)));
    const PreprocessingWay& best = *entry.choice.best;
    if (entry.choice.outcome == PreprocessingChoice::Outcome::not_settled) {
        if (!inputs.measure.gates.empty()) {
            throw Error(ErrorCode::usage,
                        fmt::format("{}: preprocessing not settled, so that no gate can hold: {}; "
                                    "type `{} {}` or `{} {}`",
                                    name, describe(entry.choice), entry.command, best.options,
                                    entry.command, entry.choice.runner_up->options));
        }
        warn(fmt::format("{}: preprocessing not settled; type `{} {}` if it is the other one", name,
                         entry.command, entry.choice.runner_up->options));
    }
    entry.model = entry.opener.open(entry.opener.resolve(best.settings));
    if (!inputs.save_settings) return;
    if (entry.choice.outcome == PreprocessingChoice::Outcome::not_settled) {
        note(
            fmt::format("--save-settings: not settled, so nothing is saved; `{} {} "
                        "--save-settings` saves this one",
                        entry.command, best.options));
        return;
    }
    ModelSettings settings = inputs.models.settings();
    settings.update(best.settings);
    save_settings(entry, settings);
}

void guard(Entry& entry, const Dataset& dataset, const EvalInputs& inputs) {
    const ModelSpec& spec = entry.model.spec;
    const bool alone = inputs.batch_given && inputs.predict.batch_size == 1;
    EvalGuards guards = with_note(fmt::format("checking `{}` on a few images", spec.name), [&] {
        return guard_model(entry.model, dataset, entry.choice.searched(), entry.mixes && !alone,
                           inputs.predict.threads);
    });
    entry.batch = guards.batch;
    for (const Finding& finding : guards.findings) {
        entry.warnings.push_back(warning_text(finding, entry.command, as_typed(spec.path.string()),
                                              as_typed(inputs.data.folders.front().string())));
        warn(spec.name + ": " + entry.warnings.back());
    }
}

/// Without the images that chose a preprocessing; under a name of its own.
Dataset without_chosen(const Dataset& dataset, const std::vector<Entry>& entries,
                       std::uint64_t& left_out) {
    std::set<std::uint32_t> chosen;
    for (const Entry& entry : entries)
        chosen.insert(entry.choice.items.begin(), entry.choice.items.end());
    left_out = chosen.size();
    if (chosen.empty()) return dataset;
    std::vector<std::uint32_t> rest;
    for (std::uint32_t item = 0; item < dataset.size(); ++item) {
        if (!chosen.contains(item)) rest.push_back(item);
    }
    if (rest.empty()) {
        throw Error(ErrorCode::usage,
                    fmt::format("all {} images were needed to find the preprocessing: type `{} {}`",
                                dataset.size(), entries.front().command,
                                entries.front().choice.best ? entries.front().choice.best->options
                                                            : "--preset NAME"));
    }
    Dataset out = take_items(dataset, rest);
    out.name = fmt::format("{}-less-{}", dataset.name, chosen.size());
    return out;
}

/// What the progress line says while images go through the models.
class Watched {
public:
    Watched(const Dataset& dataset, const std::vector<Entry>& entries, bool random)
        : dataset_(dataset) {
        for (std::size_t i = 0; i < dataset.labels.size(); ++i)
            labelled_ += dataset.labels[i].empty() ? 0 : 1;
        for (const Entry& entry : entries) {
            running_.emplace_back(entry.model.spec.name,
                                  std::make_unique<RunningAccuracy>(labelled_, random));
        }
    }

    void add(std::size_t entry, const ImageBatch& batch, std::span<const float> scores) {
        if (labelled_ == 0) return;
        const auto count = evaluate::count_batch(dataset_, batch.first_row, batch.states, scores);
        running_[entry].second->add(count.correct, count.images);
    }

    std::string text() const {
        std::string all;
        for (const auto& [name, running] : running_) {
            const std::string text = running->text();
            if (text.empty()) continue;
            all += (all.empty() ? "accuracy so far " : ", ") +
                   (running_.size() > 1 ? name + " " : std::string()) + text;
        }
        return all;
    }

private:
    const Dataset& dataset_;
    std::uint64_t labelled_ = 0;
    std::vector<std::pair<std::string, std::unique_ptr<RunningAccuracy>>> running_;
};

std::vector<PredictResult> predict_all(const std::vector<Entry>& entries, const Dataset& dataset,
                                       const EvalInputs& inputs) {
    // In that order all shards are in memory at once.
    constexpr std::uint64_t most_bytes = std::uint64_t{256} << 20;
    std::uint64_t bytes = 0;
    for (const Entry& entry : entries)
        bytes += dataset.size() * entry.model.classifier->facts().classes * sizeof(float);
    const bool in_hash_order = bytes <= most_bytes;
    Watched watched(dataset, entries, in_hash_order);
    ProgressLine line(dataset.name, entries.size() == 1 ? "images" : "images x models");
    const auto progress = [&](const Progress& done) {
        Progress said = done;
        const std::string text = watched.text();
        said.step = text;
        line.update(said);
    };
    std::vector<PredictResult> results(entries.size());
    for (const std::uint32_t batch : {0U, 1U}) {
        std::vector<LoadedModel> models;
        std::vector<std::size_t> places;
        for (std::size_t m = 0; m < entries.size(); ++m) {
            if (entries[m].batch != batch) continue;
            models.push_back(entries[m].model);
            places.push_back(m);
        }
        if (models.empty()) continue;
        PredictOptions options = inputs.predict;
        if (batch > 0) options.batch_size = batch;
        const evaluate::PredictWatch watch{
            [&](std::size_t model, const ImageBatch& images, std::span<const float> scores) {
                watched.add(places[model], images, scores);
            },
            in_hash_order};
        std::vector<PredictResult> some =
            evaluate::predict_watched(models, dataset, options, *self_comm(), watch, progress);
        for (std::size_t i = 0; i < some.size(); ++i) results[places[i]] = std::move(some[i]);
    }
    line.finish();
    say_notes(dataset, results.front().dataset_notes);
    for (const PredictResult& result : results) {
        for (const std::string& text : result.notes) note(result.model + ": " + text);
    }
    for (const std::string& text : report_of(results).warnings) warn(text);
    return results;
}

void write_page(EvalResult& result, const EvalInputs& inputs) {
    ReportOptions options;
    for (const EvaluatedModel& model : result.models) options.paths.push_back(model.store);
    options.title = result.dataset;
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

/// Commands to type, and what each is for.
std::vector<std::string> next_commands(const EvalResult& result,
                                       const std::vector<Entry>& entries) {
    std::vector<std::string> next;
    const std::string folder = as_typed(result.models.front().store.parent_path().string());
    const auto show = [&](const std::string& id) {
        next.push_back(fmt::format("assay show {} {}", as_typed(id), folder));
    };
    for (const Entry& entry : entries) {
        if (!entry.choice.best) continue;
        const bool settled = entry.choice.outcome == PreprocessingChoice::Outcome::told_apart;
        next.push_back(settled ? fmt::format("{} {} --save-settings   (on all images)",
                                             entry.command, entry.choice.best->options)
                               : fmt::format("{} {}   (the runner-up)", entry.command,
                                             entry.choice.runner_up->options));
    }
    if (!result.doubted_labels.empty()) show(result.doubted_labels.front().id);
    if (!result.unsure.empty()) show(result.unsure.front().id);
    if (result.labelled > 0) {
        next.push_back(fmt::format("assay score {} --per-class --confusion",
                                   as_typed(result.models.front().store.string())));
    } else {
        next.push_back(fmt::format("{} --list labels.csv   (with labels: columns path and label)",
                                   entries.front().command));
        if (entries.size() > 1) {
            next.push_back(
                fmt::format("assay mad init competition {}   (which model is better, by "
                            "few labels)",
                            folder));
        }
    }
    next.push_back(fmt::format("open {}", as_typed(result.report.string())));
    return next;
}

std::vector<Entry> opened_entries(const EvalInputs& inputs) {
    const ModelFlags& models = inputs.models;
    if (!models.names.empty() && models.names.size() != models.files.size()) {
        throw Error(ErrorCode::usage,
                    fmt::format("--name gives each model one name, in their order: there are {} "
                                "names and {} models",
                                models.names.size(), models.files.size()));
    }
    std::vector<Entry> entries(models.files.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        entries[i].opener = opener_for(inputs, i);
        entries[i].command = command_for(inputs, i);
        open_entry(entries[i], inputs);
    }
    return entries;
}

}  // namespace

EvalResult run_evaluation(const EvalInputs& inputs) {
    std::vector<Entry> entries = opened_entries(inputs);
    const Dataset all = inputs.data.open(0, entries.front().model.spec.classes);
    for (Entry& entry : entries) {
        entry.mixes = batches_mix(entry.model, all, inputs.predict.threads);
        if (entry.search) {
            choose(entry, all, inputs);
        } else if (inputs.save_settings) {
            save_settings(entry, inputs.models.settings());
        }
    }
    std::vector<ModelSpec> specs;
    for (const Entry& entry : entries) specs.push_back(entry.model.spec);
    name_apart(specs);
    for (std::size_t m = 0; m < entries.size(); ++m) {
        entries[m].model.spec = specs[m];
        say_settings(specs[m]);
        guard(entries[m], all, inputs);
    }
    EvalResult result;
    const Dataset dataset = without_chosen(all, entries, result.left_out);
    if (result.left_out > 0) {
        note(fmt::format("{}: {} chose the preprocessing; the results are of the other {}",
                         dataset.name, how_many(result.left_out, "image"),
                         count_text(dataset.size())));
    }
    const std::vector<PredictResult> predicted = predict_all(entries, dataset, inputs);

    result.dataset = dataset.name;
    std::vector<PredictionStore> stores;
    for (std::size_t m = 0; m < entries.size(); ++m) {
        EvaluatedModel model;
        model.model = entries[m].model.spec.name;
        model.store = predicted[m].store;
        model.preprocessing = describe(entries[m].model.spec);
        model.choice = entries[m].choice;
        model.warnings = entries[m].warnings;
        result.models.push_back(std::move(model));
        stores.push_back(PredictionStore::open(predicted[m].store));
    }
    std::vector<const PredictionStore*> opened;
    for (const PredictionStore& store : stores) opened.push_back(&store);
    ProgressLine line("score", "items");
    measure(result, opened, inputs.measure, line);
    line.finish();
    write_page(result, inputs);
    result.next = next_commands(result, entries);
    return result;
}

}  // namespace assay::cli
