#include "cli/store_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "assay/error.h"
#include "cli/command.h"
#include "cli/outputs.h"
#include "core/paths.h"
#include "core/refuse.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Options whose values are files.
constexpr std::array<std::string_view, 23> file_options = {
    "labels", "also-labels", "labels1",   "labels2",  "class-map",   "gold",  "table",    "path",
    "output", "out",         "rejected",  "original", "replication", "data",  "boxes",    "whole",
    "list",   "classes",     "questions", "people",   "log",         "junit", "published"};
/// Those of them that are written, and need not be there.
constexpr std::array<std::string_view, 6> written_options = {"output",    "out", "rejected",
                                                             "questions", "log", "junit"};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view key) {
    return std::ranges::find(names, key) != names.end();
}

/// Of an option, or of a plain argument, which has no dashes.
CLI::Option* option_named(CLI::App& app, const std::string& key) {
    CLI::Option* const option = app.get_option_no_throw("--" + key);
    return option != nullptr ? option : app.get_option_no_throw(key);
}

std::vector<std::string> keys_of(const CLI::App& app) {
    std::vector<std::string> keys;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) {
            if (name != "help" && name != "quiet") keys.push_back(name);
        }
        if (option->get_positional()) keys.push_back(option->get_name());
    }
    return keys;
}

std::string text_of(const json& value, const std::string& key, const fs::path& folder) {
    if (!value.is_string()) return value.dump();
    auto text = value.get<std::string>();
    if (!is_one_of(file_options, key)) return text;
    // What kind of log, which metric or which data set may stand before the path.
    const bool named = key == "published" || (key == "labels" && !is_there(folder / text));
    const char sign = key == "log" ? ':' : named ? '=' : '\0';
    if (const auto at = text.find(sign); sign != '\0' && at != std::string::npos) {
        const fs::path path = folder / text.substr(at + 1);
        return text.substr(0, at + 1) + path.lexically_normal().string();
    }
    const fs::path path = (folder / text).lexically_normal();
    const bool is_path = is_one_of(written_options, key) || is_there(path);
    return is_path ? path.string() : text;  // else a built-in's name
}

void set(CLI::Option& option, const std::string& key, const json& value, const std::string& where,
         const fs::path& folder) {
    const auto wrong_type = [&] {
        refuse(fmt::format("{}.{} has the value {}, which is of the wrong type", where, key,
                           value.dump()));
    };
    if (option.get_items_expected_max() == 0) {
        if (!value.is_boolean()) wrong_type();
        if (value.get<bool>()) option.add_result("true");
        return;
    }
    const json values = value.is_array() ? value : json::array({value});
    if (values.size() > 1 && option.get_items_expected_max() == 1 &&
        option.get_type_size_max() == 1)
        refuse(fmt::format("{}.{} takes one value, not {}", where, key, values.size()));
    for (const json& item : values) {
        if (!item.is_string() && !item.is_number()) wrong_type();
        option.add_result(text_of(item, key, folder));
    }
}

}  // namespace

fs::path Runs::find(const std::string& dataset_or_path) const {
    fs::path runs = folder / dataset_or_path;
    const fs::path path = file_folder / dataset_or_path;
    if (std::ranges::find(datasets, dataset_or_path) != datasets.end()) return runs;
    if (is_folder(runs)) return runs;
    if (is_there(path)) return path.lexically_normal();
    refuse(fmt::format("`{}` is no data set of the file, and nothing is there{}", dataset_or_path,
                       suggest(dataset_or_path, datasets)));
}

int run_command(StoreCommand& command, std::vector<std::string> arguments) {
    const auto app = command.app();
    if (!parse(*app, std::move(arguments))) return Status::done;
    command.check();
    return command.run();
}

void fill(CLI::App& app, const json& table, const std::string& where, const fs::path& folder) {
    if (!table.is_object()) refuse(where + " must be a table");
    check_numbers(app);
    for (const auto& [written, value] : table.items()) {
        std::string key = written;
        std::ranges::replace(key, '_', '-');
        if (written != key && table.contains(key))
            refuse(fmt::format("{}.{} and {} are the same key; keep one", where, written, key));
        if (key == "quiet") refuse(where + ".quiet: `assay run -q` is quiet in all of its steps");
        CLI::Option* const option = key == "help" ? nullptr : option_named(app, key);
        if (option == nullptr)
            refuse(where + " has an unknown key `" + written + "`" + suggest(key, keys_of(app)));
        try {
            set(*option, key, value, where, folder);
            if (!option->empty()) option->run_callback();
        } catch (const CLI::Error& error) {
            // What stands behind the option's name stands behind the key.
            const std::string_view what = error.what();
            const std::string name = option->get_name();
            refuse(what.starts_with(name)
                       ? fmt::format("{}.{}{}", where, written, what.substr(name.size()))
                       : fmt::format("{}.{}: {}", where, written, what));
        }
    }
    for (const CLI::Option* option : app.get_options()) {
        for (const CLI::Option* other : option->get_excludes()) {
            if (!option->empty() && !other->empty())
                refuse(fmt::format("{}: {} excludes {}", where, option->get_name(),
                                   other->get_name()));
        }
    }
    check_outputs(app);
}

}  // namespace assay::cli
