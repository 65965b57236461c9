#include "cli/plan.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "assay/error.h"
#include "cli/command.h"
#include "core/file.h"
#include "core/toml.h"

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

/// {"k": [1, 5], "per-class": true, "labels": "real.json"} -> --k 1 --k 5 --per-class --labels
/// real.json
void append_flags(const json& table, std::vector<std::string>& arguments) {
    const auto text = [](const json& value) {
        return value.is_string() ? value.get<std::string>() : value.dump();
    };
    for (const auto& [key, value] : table.items()) {
        if (value.is_boolean()) {
            if (value.get<bool>()) arguments.push_back("--" + key);
        } else {
            for (const json& item : value.is_array() ? value : json::array({value})) {
                arguments.push_back("--" + key);
                arguments.push_back(text(item));
            }
        }
    }
}

/// Paths of files in the flags are relative to the configuration's folder.
json with_paths(json table, const fs::path& folder) {
    for (const char* key : {"labels", "class-map", "output"}) {
        const auto found = table.find(key);
        if (found == table.end() || !found->is_string()) continue;
        const fs::path path = (folder / found->get<std::string>()).lexically_normal();
        if (std::string(key) == "output" || fs::exists(path)) *found = path.string();
    }
    return table;
}

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
    if (const json score = keys.take<json>("score", nullptr); !score.is_null())
        plan.score = with_paths(score, folder);
    if (const json compare = keys.take<json>("compare", nullptr); !compare.is_null())
        plan.compare = with_paths(compare, folder);
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
    if (score) out["score"] = *score;
    if (compare) out["compare"] = *compare;
    return out;
}

void Plan::check(const std::vector<ModelSpec>& specs) const {
    storage_format_named(store.storage);
    if (score) with_note("checking [score]", [&] { check_score_arguments(score_arguments()); });
    if (!compare) return;
    with_note("checking [compare]", [&] {
        // Of any data set: their names are not known yet, and the flags are the same for all.
        for (const auto& arguments : compare_arguments(specs, {"DATA_SET"}))
            check_compare_arguments(arguments);
    });
}

std::vector<std::string> Plan::score_arguments() const {
    std::vector<std::string> arguments = {store.out.string()};
    append_flags(*score, arguments);
    return arguments;
}

std::vector<std::vector<std::string>> Plan::compare_arguments(
    const std::vector<ModelSpec>& specs, const std::vector<std::string>& datasets) const {
    std::vector<std::vector<std::string>> commands;
    if (!compare) return commands;
    json table = *compare;
    std::string baseline = specs.front().name;
    if (const auto found = table.find("baseline"); found != table.end()) {
        baseline = found->is_string() ? found->get<std::string>() : found->dump();
        std::vector<std::string> names;
        for (const ModelSpec& spec : specs) names.push_back(spec.name);
        if (std::ranges::find(names, baseline) == names.end()) {
            refuse("[compare] baseline `" + baseline + "` is no model of the file" +
                   suggest(baseline, names));
        }
        table.erase(found);
    }
    if (specs.size() < 2)
        refuse("[compare] needs two models; the file lists `" + specs.front().name + "` alone");
    for (const std::string& dataset : datasets) {
        const fs::path runs = store.out / dataset;
        std::vector<std::string> arguments = {(runs / baseline).string()};
        for (const ModelSpec& spec : specs) {
            if (spec.name != baseline) arguments.push_back((runs / spec.name).string());
        }
        append_flags(table, arguments);
        commands.push_back(std::move(arguments));
    }
    return commands;
}

}  // namespace assay::cli
