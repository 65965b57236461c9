#include "cli/store_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iterator>

#include "assay/error.h"
#include "cli/command.h"
#include "cli/outputs.h"
#include "cli/values.h"
#include "core/paths.h"
#include "core/refuse.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// The option with this name, or the plain argument, which has no dashes.
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

/// The kind of the option's value, if it names a file.
ValueKind kind_of(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    const ValueKind* const kind = find_value_kind(type.substr(0, type.find(':')));
    return kind == nullptr ? ValueKind{} : *kind;
}

std::string text_of(const json& value, const ValueKind& kind, const fs::path& folder) {
    if (value.is_number_float() && !std::isfinite(value.get<double>()))
        return fmt::format("{}", value.get<double>());
    if (!value.is_string()) return value.dump();
    const auto text = value.get<std::string>();
    const fs::path path = path_from(folder, text);
    if (kind.path == PathIn::none || is_stdout(text)) return text;
    if (kind.path == PathIn::whole || is_there(path)) return path.string();
    if (kind.path == PathIn::or_name) return text;
    const std::size_t behind = text.find(kind.sign) + 1;  // npos + 1 is 0
    if (behind == 0 && kind.sign == '=') return text;
    return text.substr(0, behind) + path_from(folder, text.substr(behind)).string();
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
        refuse(fmt::format("{}.{} takes one value; got {}", where, key, values.size()));
    for (const json& item : values) {
        if (!item.is_string() && !item.is_number()) wrong_type();
        option.add_result(text_of(item, kind_of(option), folder));
    }
}

}  // namespace

fs::path Runs::find(const std::string& dataset_or_path) const {
    if (const auto own = called.find(dataset_or_path); own != called.end())
        return folder / own->second;
    if (fs::path own = as_called(dataset_or_path); own != fs::path(dataset_or_path)) return own;
    fs::path runs = folder / dataset_or_path;
    const fs::path path = file_folder / dataset_or_path;
    if (std::ranges::find(datasets, dataset_or_path) != datasets.end()) return runs;
    if (is_folder(runs)) return runs;
    if (is_there(path)) return path.lexically_normal();
    refuse(fmt::format("`{}` is neither a data set of the file nor an existing path{}",
                       dataset_or_path, suggest(dataset_or_path, datasets)));
}

fs::path Runs::as_called(const fs::path& path) const {
    const fs::path runs = absolute_path(folder).lexically_normal();
    // A path relative to the file's folder, or a name as on the command
    // line.
    for (const fs::path& whole : {path, path_from(file_folder, path.string())}) {
        const fs::path below = absolute_path(whole).lexically_normal().lexically_relative(runs);
        const auto own = below.empty() ? called.end() : called.find(below.begin()->string());
        if (own == called.end()) continue;
        fs::path actual = folder / own->second;
        for (auto part = std::next(below.begin()); part != below.end(); ++part) actual /= *part;
        return actual;
    }
    return path;
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
        if (key == "quiet")
            refuse(where + ".quiet cannot be set for one step: `assay run -q` silences all steps");
        CLI::Option* const option = key == "help" ? nullptr : option_named(app, key);
        if (option == nullptr)
            refuse(where + " has an unknown key `" + written + "`" + suggest(key, keys_of(app)));
        try {
            set(*option, key, value, where, folder);
            if (!option->empty()) option->run_callback();
        } catch (const CLI::Error& error) {
            // The text after the option's name is put after the key.
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
