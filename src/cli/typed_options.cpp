#include "cli/typed_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "cli/command.h"

namespace assay::cli {

std::vector<TypedOption> typed_options(const CLI::App& app, std::size_t inputs) {
    std::vector<TypedOption> all;
    const std::vector<const CLI::Option*> options = app.get_options();
    for (std::size_t i = 0; i < options.size(); ++i) {
        const CLI::Option& option = *options[i];
        if (option.count() == 0 || option.get_lnames().empty()) continue;
        TypedOption typed;
        for (const std::string& name : option.get_lnames()) typed.names.push_back("--" + name);
        const std::string& name = typed.names.front();
        if (name == "--model" || name == "--data" || name == "--name") continue;
        // For patterns, the commands name the drawn models.
        if (name == "--draw-models" || name == "--draw-seed" || name == "--published") continue;
        std::vector<std::string> values = option.results();
        if (const char delimiter = option.get_delimiter(); delimiter != '\0')
            values = {fmt::format("{}", fmt::join(values, std::string(1, delimiter)))};
        if (option.get_items_expected_max() == 0) {
            typed.text = name;
        } else {
            for (const std::string& value : values)
                typed.text += (typed.text.empty() ? "" : " ") + name + " " + as_typed(value);
        }
        typed.of_inputs = i < inputs;
        all.push_back(std::move(typed));
    }
    return all;
}

std::string command_with(std::string start, const std::vector<TypedOption>& typed,
                         bool inputs_alone, const std::string& options) {
    const std::string words = " " + options + " ";
    for (const TypedOption& one : typed) {
        if (inputs_alone && !one.of_inputs) continue;
        const bool again = std::ranges::any_of(one.names, [&](const std::string& name) {
            return words.find(" " + name + " ") != std::string::npos;
        });
        if (!again) start += " " + one.text;
    }
    return options.empty() ? start : start + " " + options;
}

}  // namespace assay::cli
