#include "cli/assay_toml.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "assay/error.h"
#include "assay/metric/metric.h"
#include "cli/assay_toml_quality.h"
#include "cli/command.h"
#include "cli/described.h"
#include "cli/drawn_models.h"
#include "cli/paper_settings.h"
#include "core/file.h"
#include "core/json_keys.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/toml.h"
#include "data/archives.h"
#include "data/dataset_name.h"
#include "model/python/class_texts.h"
#include "model/python/source.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

json array_of_tables(const json& all, const char* key) {
    const auto found = all.find(key);
    if (found == all.end()) return json::array();
    if (!found->is_array()) refuse(std::string(key) + " must be a list of tables, [[" + key + "]]");
    return *found;
}

/// The models' preprocessing for one data set may differ from that for the others; their input
/// (size, mean and std) may not.
constexpr const char* pixel_settings[] = {"crop_mode", "crop_pct", "resize_size", "interpolation"};

Plan::Data read_data(const json& table, const fs::path& folder) {
    Keys keys(table, "[[data]]", folder);
    Plan::Data out;
    DataFlags& data = out.flags;
    const fs::path path = keys.take_path("path");
    if (path.empty()) refuse("[[data]] needs a `path`");
    data.folders = {path};
    keys.take(data);
    keys.take(data.sample);
    data.sample.check();
    for (const char* key : pixel_settings) {
        if (json value = keys.take_any(key); !value.is_null()) out.pixels[key] = std::move(value);
    }
    keys.nothing_left();
    return out;
}

/// Reads how to draw models for a pattern.
void read_draw(Keys& keys, Plan::Model& model) {
    DrawFlags& drawn = model.drawn;
    const bool given = keys.has("draw_models") || keys.has("draw_seed") || keys.has("published");
    drawn.models = keys.take<std::size_t>("draw_models", 0);
    drawn.seed = keys.take<std::uint64_t>("draw_seed", 0);
    drawn.published = keys.take_path("published");
    if (is_source_pattern(model.path)) {
        if (keys.has("name")) {
            refuse("[[model]] " + model.path.string() +
                   " stands for several models: omit its `name`");
        }
    } else if (given) {
        refuse(
            "[[model]] " + model.path.string() +
            ": draw_models, draw_seed and published only apply to patterns, such as timm:resnet*");
    }
}

Plan::Model read_model(const json& table, const fs::path& folder) {
    Keys keys(table, "[[model]]", folder);
    Plan::Model model;
    model.settings = ModelSettings::object();
    model.path = model_from(folder, keys.take<std::string>("path", ""));
    if (model.path.empty()) refuse("[[model]] needs a `path`");
    if (const fs::path sidecar = keys.take_path("sidecar"); !sidecar.empty())
        model.sidecars = {sidecar};
    const auto classes = keys.take<std::string>("classes", "");
    read_draw(keys, model);
    // Every other key belongs to a sidecar, and is checked there.
    for (const auto& [key, value] : keys.rest().items()) {
        std::string name = key;
        std::ranges::replace(name, '-', '_');
        if (!model.settings.emplace(name, value).second)
            refuse("[[model]]." + name + " and " + key + " are the same key; keep one");
    }
    if (const auto arch = model.settings.find("arch");
        arch != model.settings.end() && arch->is_string())
        *arch = model_from(folder, arch->get<std::string>()).string();
    if (!classes.empty()) model.settings["classes"] = class_setting(classes, folder);
    return model;
}

enum class When {
    before,       ///< it makes data sets for the predictions
    after,        ///< it reads the predictions
    per_dataset,  ///< it reads the predictions of one data set at a time
};
/// A table that is a command. To add a key, add a row. They run in this order.
struct StepRow {
    const char* name;
    std::unique_ptr<StoreCommand> (*make)();
    When when;
};
constexpr StepRow step_rows[] = {
    {"patchml", patchml_step, When::before},         {"score", score_command, When::after},
    {"compare", compare_command, When::per_dataset}, {"gap", gap_command, When::after},
    {"labels", propose_command, When::after},        {"replicate", adjust_command, When::after},
};

/// Composites are used whole: a crop would remove objects that their labels name.
Plan::Data whole_images_in(const fs::path& folder) {
    Plan::Data data;
    data.flags.folders = {folder};
    data.pixels["crop_mode"] = "none";
    return data;
}

json whole_paths(const PluginFiles& plugins) {
    json list = json::array();
    for (const fs::path& file : plugins.plugin) list.push_back(absolute_path(file).string());
    return list;
}

void list_what_is_made(Plan& plan) {
    for (const Plan::Step& step : plan.steps) {
        if (!step.makes_data) continue;
        with_note("checking [" + step.command + "]", [&] {
            for (const auto& command : plan.commands_of(step, {}, {})) {
                for (const fs::path& made : command->makes()) {
                    const bool listed = std::ranges::any_of(plan.data, [&](const Plan::Data& d) {
                        return d.flags.folders.front() == made.lexically_normal();
                    });
                    if (!listed) plan.data.push_back(whole_images_in(made.lexically_normal()));
                }
            }
        });
    }
}

/// Gives unnamed tables the names that predict gives to folders with equal names. A given name must
/// be unique.
void name_data(std::vector<Plan::Data>& data) {
    std::vector<fs::path> paths;
    for (const Plan::Data& d : data) {
        if (d.flags.name.empty()) paths.push_back(d.flags.folders.at(0));
    }
    const std::vector<std::string> names = dataset_names_of(paths);
    std::size_t next = 0;
    for (Plan::Data& d : data) {
        if (!d.flags.name.empty()) continue;
        d.flags.name = d.flags.name_of_part(names[next++], 0);
        d.flags.names_parts = true;
    }
    std::unordered_map<std::string_view, const Plan::Data*> first;
    for (const Plan::Data& d : data) {
        const auto [other, fresh] = first.emplace(d.flags.name, &d);
        if (fresh) continue;
        refuse("two [[data]] tables are called `" + d.flags.name + "` (" +
               other->second->flags.folders.at(0).string() + " and " +
               d.flags.folders.at(0).string() + "): give one another `name`, such as " +
               d.flags.name + "-pilot");
    }
}

}  // namespace

Plan read_plan(const fs::path& file) {
    const json all = parse_toml(read_text(file, 16 << 20));
    const fs::path folder = file.parent_path();
    Plan plan;
    for (const json& table : array_of_tables(all, "model"))
        plan.models.push_back(read_model(table, folder));
    if (plan.models.empty()) refuse("no [[model]] table: list at least one");
    for (const json& table : array_of_tables(all, "data"))
        plan.data.push_back(read_data(table, folder));

    json rest = all;
    rest.erase("model");
    rest.erase("data");
    Keys keys(rest, "", folder);
    keys.take(plan.store.options);
    const json templates = rest.value("templates", json());
    keys.take(plan.opening);
    if (templates.is_string() && is_template_list(templates.get<std::string>()))
        plan.opening.templates = templates.get<std::string>();  // no file
    keys.take(plan.plugins);
    plan.folder = folder;
    for (const StepRow& row : step_rows) {
        json tables = keys.take_any(row.name);
        if (tables.is_null()) continue;
        if (!tables.is_array()) tables = json::array({std::move(tables)});
        for (json& table : tables)
            plan.steps.push_back({row.name, std::move(table), row.when == When::before});
    }
    const json quality = keys.take_any("quality");
    // `assay paper` reads it, and a mistake in it is reported before the long run.
    if (const json paper = keys.take_any("paper"); !paper.is_null()) read_paper(paper, folder);
    keys.nothing_left();
    list_what_is_made(plan);
    if (plan.data.empty() && quality.is_null()) refuse("no [[data]] table: list at least one");
    name_data(plan.data);
    if (!plan.data.empty()) {
        DataFlags first = plan.data.front().flags;
        first.index_folder = archive_index_folder(plan.store.options.runs);
        plan.classes_of_data = classes_of(first);
    }
    if (!quality.is_null()) plan.quality = read_quality(quality, folder, plan.data);
    return plan;
}

std::vector<ModelSpec> Plan::specs_on(const Data& on) const {
    std::vector<ModelSpec> specs;
    for (const Model& model : models) {
        ModelSettings settings = model.settings;
        // These two settings express the same thing, and the data set's setting has priority.
        if (on.pixels.contains("crop_pct")) settings.erase("resize_size");
        if (on.pixels.contains("resize_size")) settings.erase("crop_pct");
        settings.update(on.pixels);
        specs.push_back(with_note("resolving the model `" + model.path.string() + "`", [&] {
            return resolve_with_sidecar(model.path, model.sidecars, settings, opening,
                                        classes_of_data);
        }));
    }
    check_templates(opening, specs);
    name_apart(specs);
    return specs;
}

void Plan::draw(bool keep) {
    std::vector<Model> all;
    for (const Model& listed : models) {
        if (!is_source_pattern(listed.path)) {
            all.push_back(listed);
            continue;
        }
        const std::string pattern = listed.path.string();
        const std::vector<std::string> drawn =
            with_note("drawing models of `" + pattern + "`", [&] {
                return drawn_models(pattern, listed.drawn, DrawnBy::keys, opening,
                                    store.options.runs, keep);
            });
        for (const std::string& name : drawn)
            all.push_back({name, listed.sidecars, listed.settings});
    }
    models = std::move(all);
}

void Plan::override_with(const CLI::App& app, const StoreFlags& flags) {
    copy_given(app, flags.options, store.options);
    store.options.command = flags.options.command;
    store.dry_run = flags.dry_run;
}

json Plan::resolved(const std::vector<ModelSpec>& specs) const {
    json out = json_of(store.options);
    out.update(json_of(opening));
    if (!plugins.plugin.empty()) out.update(json_of(plugins));
    out["models"] = json::array();
    for (const ModelSpec& spec : specs) out["models"].push_back(to_json(spec));
    out["data"] = json::array();
    for (const Data& listed : data) {
        const DataFlags& flags = listed.flags;
        out["data"].push_back({{"path", flags.folders.at(0).string()}});
        out["data"].back().update(json_of(flags));
        out["data"].back().update(json_of(flags.sample));
        out["data"].back().update(listed.pixels);
        if (listed.role) out["data"].back()["role"] = quality::facts_of(*listed.role).name;
    }
    for (const Step& step : steps) {
        json& tables = out[step.command];
        if (tables.is_null()) {
            tables = step.options;
        } else {
            if (!tables.is_array()) tables = json::array({tables});
            tables.push_back(step.options);
        }
    }
    if (quality) {
        out["quality"] = json_of(*quality);
        if (!quality->corrupts()) out["quality"]["corruptions"] = "none";
    }
    return out;
}

Dataset Plan::open(const Data& listed, const ClassList& classes) const {
    DataFlags flags = listed.flags;
    flags.index_folder = archive_index_folder(store.options.runs);
    flags.runs = store.options.runs;
    if (!listed.role) return flags.open(0, classes);
    std::vector<std::string> notes;
    const DatasetOptions how = flags.options(0, classes, notes);
    const auto reopen = [&](const DatasetOptions& with) {
        std::vector<std::string> unsaid;
        return quality::open_role(*listed.role, flags.folders.at(0), with, &unsaid);
    };
    Dataset dataset = quality::open_role(*listed.role, flags.folders.at(0), how, &notes);
    say_notes(dataset, notes);
    return flags.sampled(std::move(dataset), how, reopen);
}

void Plan::check(const std::vector<ModelSpec>& specs) const {
    for (const fs::path& file : plugins.plugin) load_metrics(file);
    std::vector<std::string> datasets;
    for (const Data& listed : data) {
        if (!listed.for_quality) datasets.push_back(listed.flags.name);
        if (!listed.pixels.empty())
            with_note("checking the data set `" + listed.flags.name + "`",
                      [&] { specs_on(listed); });
    }
    for (const Step& step : steps) {
        with_note("checking [" + step.command + "]", [&] {
            for (const auto& command : commands_of(step, specs, datasets)) command->check();
        });
    }
}

std::vector<std::unique_ptr<StoreCommand>> Plan::commands_of(
    const Step& step, const std::vector<ModelSpec>& specs,
    const std::vector<std::string>& datasets) const {
    const auto& row =
        *std::ranges::find_if(step_rows, [&](const StepRow& r) { return r.name == step.command; });
    Runs runs{store.options.runs, {}, datasets, folder, called};
    for (const ModelSpec& spec : specs) runs.models.push_back(spec.name);
    std::vector<std::unique_ptr<StoreCommand>> commands;
    const auto add = [&](const Runs& about) {
        auto command = row.make();
        const auto app = command->app();
        json options = step.options;
        if (!plugins.plugin.empty() && options.is_object() && !options.contains("plugin") &&
            app->get_option_no_throw("--plugin") != nullptr)
            options["plugin"] = whole_paths(plugins);
        fill(*app, options, "[" + step.command + "]", folder);
        command->over(about);
        commands.push_back(std::move(command));
    };
    if (row.when != When::per_dataset) {
        add(runs);
        return commands;
    }
    for (const std::string& dataset : datasets)
        add({runs.folder, runs.models, {dataset}, folder, called});
    return commands;
}

}  // namespace assay::cli
