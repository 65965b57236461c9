#include "cli/plan.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "assay/error.h"
#include "cli/command.h"
#include "core/file.h"
#include "core/toml.h"
#include "data/dataset_name.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

[[noreturn]] void refuse(const std::string& message) {
    throw Error(ErrorCode::bad_input, message);
}

/// A table of the file whose keys are taken one by one; what is left at the end is an error.
class Keys {
public:
    Keys(const json& table, std::string where, fs::path folder)
        : table_(table), where_(std::move(where)), folder_(std::move(folder)) {
        if (!table_.is_object()) refuse(where_ + " must be a table");
    }

    template <class T>
    T take(const std::string& key, T fallback) {
        known_.push_back(key);
        const auto found = table_.find(key);
        if (found == table_.end()) return fallback;
        T value;
        try {
            value = found->get<T>();
        } catch (const json::exception&) {
            refuse(where_ + "." + key + " has the value " + found->dump() +
                   ", which is of the wrong type");
        }
        table_.erase(found);
        return value;
    }
    template <class Unsigned>
    Unsigned take_count(const std::string& key, Unsigned fallback) {
        const auto value = take<std::int64_t>(key, static_cast<std::int64_t>(fallback));
        if (value < 0 || value > std::int64_t{1} << 31)
            refuse(where_ + "." + key + " is " + std::to_string(value) + "; at least 0 is allowed");
        return static_cast<Unsigned>(value);
    }
    /// Relative to the file's folder; "" when absent.
    fs::path take_path(const std::string& key) {
        const auto text = take<std::string>(key, "");
        return text.empty() ? fs::path() : (folder_ / text).lexically_normal();
    }
    const json& rest() const { return table_; }
    void nothing_left() const {
        for (const auto& [key, value] : table_.items())
            refuse(where_ + " has an unknown key `" + key + "`" + suggest(key, known_));
    }

private:
    json table_;
    std::string where_;
    fs::path folder_;
    std::vector<std::string> known_;
};

json array_of_tables(const json& all, const char* key) {
    const auto found = all.find(key);
    if (found == all.end() || !found->is_array() || found->empty()) {
        refuse(std::string("no [[") + key + "]] table: list at least one");
    }
    return *found;
}

DataFlags read_data(const json& table, const fs::path& folder) {
    Keys keys(table, "[[data]]", folder);
    DataFlags data;
    const fs::path path = keys.take_path("path");
    if (path.empty()) refuse("[[data]] needs a `path`");
    data.folders = {path};
    data.list = keys.take_path("list");
    data.layout = keys.take<std::string>("layout", "auto");
    if (data.layout != "auto" && data.layout != "folders" && data.layout != "flat") {
        refuse("[[data]].layout is `" + data.layout + "`; allowed: auto, folders, flat");
    }
    data.name = keys.take<std::string>("name", "");
    data.limit = keys.take_count<std::size_t>("limit", 0);
    keys.nothing_left();
    return data;
}

Plan::Model read_model(const json& table, const fs::path& folder) {
    Keys keys(table, "[[model]]", folder);
    Plan::Model model;
    model.path = keys.take_path("path");
    if (model.path.empty()) refuse("[[model]] needs a `path`");
    if (const fs::path sidecar = keys.take_path("sidecar"); !sidecar.empty())
        model.sidecars = {sidecar};
    const auto classes = keys.take<std::string>("classes", "");
    model.settings = keys.rest();  // every other key is a sidecar's, checked there
    if (!classes.empty()) model.settings["classes"] = class_setting(classes, folder);
    return model;
}

/// A table that reads the predictions. One more: a row. They run in this order.
struct StepRow {
    const char* name;
    std::unique_ptr<StoreCommand> (*make)();
    bool per_dataset;  ///< is asked about one data set at a time
};
constexpr StepRow step_rows[] = {
    {"score", score_command, false},      {"compare", compare_command, true},
    {"gap", gap_command, false},          {"labels", propose_command, false},
    {"replicate", adjust_command, false},
};

}  // namespace

Plan read_plan(const fs::path& file) {
    const json all = parse_toml(read_text(file, 16 << 20));
    const fs::path folder = file.parent_path();
    Plan plan;
    for (const json& table : array_of_tables(all, "model"))
        plan.models.push_back(read_model(table, folder));
    for (const json& table : array_of_tables(all, "data"))
        plan.data.push_back(read_data(table, folder));

    json rest = all;
    rest.erase("model");
    rest.erase("data");
    Keys keys(rest, "the file", folder);
    if (const fs::path out = keys.take_path("out"); !out.empty()) plan.store.out = out;
    plan.store.storage = keys.take<std::string>("storage", plan.store.storage);
    plan.store.batch = keys.take_count<std::uint32_t>("batch", 0);
    plan.store.shard_rows = keys.take_count<std::uint32_t>("shard_rows", 0);
    plan.store.threads = keys.take_count<int>("threads", 0);
    plan.device = keys.take<std::string>("device", "auto");
    plan.folder = folder;
    for (const StepRow& row : step_rows) {
        if (json table = keys.take<json>(row.name, nullptr); !table.is_null())
            plan.steps.push_back({row.name, std::move(table)});
    }
    keys.nothing_left();
    return plan;
}

void Plan::override_with(const CLI::App& app, const StoreFlags& flags) {
    const auto given = [&](const char* name) { return app.count(name) > 0; };
    if (given("--out")) store.out = flags.out;
    if (given("--storage")) store.storage = flags.storage;
    if (given("--batch")) store.batch = flags.batch;
    if (given("--shard-rows")) store.shard_rows = flags.shard_rows;
    if (given("--threads")) store.threads = flags.threads;
    store.quiet = flags.quiet;
    store.dry_run = flags.dry_run;
}

json Plan::resolved(const std::vector<ModelSpec>& specs) const {
    json out = {{"out", store.out.string()}, {"storage", store.storage},
                {"batch", store.batch},      {"shard_rows", store.shard_rows},
                {"device", device},          {"threads", store.threads}};
    out["models"] = json::array();
    for (const ModelSpec& spec : specs) out["models"].push_back(to_json(spec));
    out["data"] = json::array();
    for (const DataFlags& d : data) {
        out["data"].push_back({{"path", d.folders.at(0).string()},
                               {"list", d.list.string()},
                               {"layout", d.layout},
                               {"name", d.name},
                               {"limit", d.limit}});
    }
    for (const Step& step : steps) out[step.command] = step.options;
    return out;
}

void Plan::check(const std::vector<ModelSpec>& specs) const {
    storage_format_named(store.storage);
    std::vector<std::string> datasets;
    for (const DataFlags& d : data)
        datasets.push_back(d.name.empty() ? dataset_name_of(d.folders.at(0)) : d.name);
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
    Runs runs{store.out, {}, datasets, folder};
    for (const ModelSpec& spec : specs) runs.models.push_back(spec.name);
    std::vector<std::unique_ptr<StoreCommand>> commands;
    const auto add = [&](const Runs& about) {
        auto command = row.make();
        const auto app = command->app();
        fill(*app, step.options, "[" + step.command + "]", folder);
        command->over(about);
        commands.push_back(std::move(command));
    };
    if (!row.per_dataset) {
        add(runs);
        return commands;
    }
    for (const std::string& dataset : datasets) add({runs.folder, runs.models, {dataset}, folder});
    return commands;
}

}  // namespace assay::cli
