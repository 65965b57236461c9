#include "cli/eval_entry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "assay/error.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/typed_options.h"
#include "core/file.h"
#include "core/paths.h"
#include "core/text.h"
#include "evaluate/model_trial.h"
#include "model/python/source.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

/// Sets the commands to type for this model.
void set_commands(EvalEntry& entry, const EvalInputs& inputs, std::size_t file) {
    const std::string model = as_typed(inputs.models.files[file].string()),
                      data = as_typed(inputs.data.folders.front().string());
    const std::string name =
        inputs.models.names.empty() ? "" : " --name " + as_typed(inputs.models.names[file]);
    const std::string start = "assay eval " + model + " " + data + name;
    entry.command = [start, typed = inputs.typed](const std::string& options) {
        return command_with(start, typed, false, options);
    };
    entry.check = command_with("assay check -m " + model + " -d " + data + name, inputs.typed, true,
                               std::string());
}

ModelOpener opener_for(const EvalInputs& inputs, std::size_t file) {
    const ModelFlags& models = inputs.models;
    ModelSettings flags = models.settings();
    if (!models.names.empty()) flags["name"] = models.names[file];
    // The process of a model in Python runs as long as something refers to it: one process for all
    // settings.
    auto kept = std::make_shared<std::shared_ptr<PythonModel>>();
    return {[&models, file, flags, kept](const ModelSettings& settings) {
                ModelSettings merged = flags;
                merged.update(settings);
                ModelSpec spec = resolve_with_sidecar(models.files[file], models.sidecars, merged,
                                                      models.opening(), models.classes_of_data);
                *kept = spec.python;
                return spec;
            },
            [opening = models.opening()](ModelSpec spec) {
                return load_model(std::move(spec), opening);
            }};
}

/// Opens the model with its settings or, if nothing says how its input is prepared, in any way.
void open_entry(EvalEntry& entry, const EvalInputs& inputs) {
    std::optional<ModelSpec> spec;
    try {
        spec = entry.opener.resolve(ModelSettings::object());
        entry.model = entry.opener.open(*spec);
        return;
    } catch (const Error& error) {
        if (error.code() == ErrorCode::usage && !spec) {
            entry.search = true;
        } else if (error.code() == ErrorCode::bad_input && spec) {
            CheckOptions options;
            options.reopen = [&](const ModelSpec& other) {
                return open_classifier(other, inputs.models.opening());
            };
            const auto finding = refused_size(*spec, options, error.message());
            if (!finding) throw;
            throw Error(ErrorCode::bad_input,
                        fmt::format("{}: {}; type `{}`", spec->name, finding->title,
                                    entry.command(finding->advice)));
        } else {
            throw;
        }
    }
    // If it opens with a preset, only the preset was missing; otherwise this throws the error.
    entry.model = open_at_any_size(entry.opener);
}

fs::path settings_file_of(const ModelSpec& spec) {
    return fs::path(spec.path).replace_extension(".toml");
}

}  // namespace

std::vector<EvalEntry> opened_entries(const EvalInputs& inputs) {
    const ModelFlags& models = inputs.models;
    if (!models.names.empty() && models.names.size() != models.files.size()) {
        throw Error(
            ErrorCode::usage,
            fmt::format(
                "--name needs one name per model, in their order: got {} names for {} models",
                models.names.size(), models.files.size()));
    }
    std::vector<EvalEntry> entries(models.files.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        entries[i].opener = opener_for(inputs, i);
        set_commands(entries[i], inputs, i);
        open_entry(entries[i], inputs);
    }
    std::vector<ModelSpec> specs;
    for (const EvalEntry& entry : entries) specs.push_back(entry.model.spec);
    check_templates(models.options, specs);
    return entries;
}

bool can_save_settings(const ModelSpec& spec) {
    return spec.sidecar.empty() && fs::is_regular_file(spec.path) &&
           !fs::exists(settings_file_of(spec));
}

void save_settings(EvalEntry& entry) {
    if (!entry.to_save) return;
    ModelSettings settings = *entry.to_save;
    const ModelSpec& spec = entry.model.spec;
    const auto say = [](const std::string& text) { note("--save-settings: " + text); };
    if (!spec.sidecar.empty()) {
        say(fmt::format("{} exists and is not changed", spec.sidecar.string()));
    } else if (!fs::is_regular_file(spec.path)) {
        say(fmt::format("{} is a model in Python without a file; pass --sidecar FILE", spec.name));
    } else if (settings.empty()) {
        say(fmt::format("{} defines its own preprocessing", spec.name));
    } else if (const fs::path file = settings_file_of(spec); fs::exists(file)) {
        say(fmt::format("{} exists and is not changed", file.string()));
    } else {
        // A relative Python file would be searched for next to the settings.
        if (settings.contains("arch") && is_python_source(settings["arch"].get<std::string>()))
            settings["arch"] = whole_source(settings["arch"].get<std::string>());
        std::string text = "# Preprocessing of " + spec.path.filename().string() + ".\n";
        for (const auto& [key, value] : settings.items())
            text += fmt::format("{} = {}\n", key, value.dump());
        write_file_atomically(file, text);
        entry.saved = true;
        note(fmt::format("{}: settings saved; all commands read them", file.string()));
    }
}

void choose_for(EvalEntry& entry, const Dataset& dataset, const EvalInputs& inputs) {
    const std::string name = entry.model.spec.name;
    SearchOptions options;
    options.threads = inputs.predict.threads;
    if (entry.mixes || inputs.images_alone()) options.batch = 1;
    ProgressLine line(name, "images x ways");
    entry.choice = choose_preprocessing(entry.opener, dataset, options, line);
    line.finish();
    using Outcome = PreprocessingChoice::Outcome;
    if (entry.mixes && entry.choice.outcome == Outcome::at_chance && !entry.choice.order) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("`{}`: the scores of an image depend on the other images of its "
                                "batch, and images alone do no better than chance. Batch "
                                "normalisation may be in training mode: call model.eval() and "
                                "export the model again",
                                entry.model.spec.path.string()));
    }
    if (!entry.choice.usable())
        throw Error(ErrorCode::usage, why_stopped(entry.choice, name, entry.command));
    note(fmt::format("{}: {} ({})", name, describe(entry.choice),
                     duration_text(entry.choice.seconds)));
    if (const auto& failed = entry.choice.failed; !failed.empty()) {
        entry.warnings.push_back(
            fmt::format("{} of the images that chose the preprocessing could not be computed: {}",
                        how_many(failed.size(), "image"), fmt::join(failed, ", ")));
        warn(name + ": " + entry.warnings.back());
    }
    const PreprocessingWay& best = *entry.choice.best;
    const bool settled = entry.choice.outcome == Outcome::told_apart;
    if (!settled) {
        const std::string other = entry.command(entry.choice.runner_up->options);
        if (!inputs.measure.gates.empty()) {
            throw Error(ErrorCode::usage,
                        fmt::format("{}: {}, so no gate can pass: {}; type `{}` or `{}`", name,
                                    not_settled_mark, describe(entry.choice),
                                    entry.command(best.options), other));
        }
        warn(
            fmt::format("{}: {}; type `{}` if it is the other one", name, not_settled_mark, other));
    }
    entry.model = entry.opener.open(entry.opener.resolve(best.settings));
    if (!inputs.save_settings) return;
    if (settled) {
        entry.to_save = inputs.models.settings();
        entry.to_save->update(best.settings);
    } else {
        note(
            fmt::format("--save-settings: the preprocessing is not certain, so nothing is saved; "
                        "`{}` saves this one",
                        entry.command(best.options + " --save-settings")));
    }
}

void guard_entry(EvalEntry& entry, const Dataset& dataset, const EvalInputs& inputs) {
    const ModelSpec& spec = entry.model.spec;
    const GuardOptions options{.searched = entry.choice.searched(),
                               .mixes = entry.mixes && !inputs.images_alone(),
                               .alone = inputs.images_alone(),
                               .threads = inputs.predict.threads};
    EvalGuards guards;
    try {
        guards = with_note(fmt::format("checking `{}` on a few images", spec.name),
                           [&] { return guard_model(entry.model, dataset, options); });
    } catch (const Error& error) {
        if (!evaluate::process_ended(entry.model)) throw;
        entry.warnings.push_back(
            fmt::format("it could not be checked on a few images: {}", error.message()));
        warn(spec.name + ": " + entry.warnings.back());
        return;
    }
    for (const Finding& finding : guards.findings) {
        entry.warnings.push_back(warning_text(finding, entry.command, entry.check));
        warn(spec.name + ": " + entry.warnings.back());
    }
}

}  // namespace assay::cli
