#include "cli/help.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/common_options.h"
#include "cli/description.h"
#include "cli/terminal.h"
#include "core/text.h"

namespace assay::cli {
namespace {

std::size_t line_width() {
    return std::clamp(stdout_width(), FoldedHelp::least_width, FoldedHelp::help_width);
}

/// True if the description contains the default itself, as " (default: ...)".
bool names_default(const std::string& text) {
    return text.find("default") != std::string::npos;
}

bool is_listed(const CLI::Option& option) {
    return option.nonpositional() && !option.get_group().empty();
}

/// The footer with at most `count` examples, which are its last list.
std::string with_examples(std::string footer, std::size_t count) {
    constexpr std::string_view heading = "Examples:\n";
    std::size_t end = footer.find(heading);
    if (end == std::string::npos) return footer;
    end += heading.size();
    for (std::size_t i = 0; i < count && end < footer.size(); ++i)
        end = std::min(footer.find('\n', end), footer.size() - 1) + 1;
    footer.resize(end);
    return footer;
}

}  // namespace

bool asks_for_help(std::string_view argument) {
    return argument == "-h" || argument == "--help" || argument == "--help-all" ||
           argument == "help";
}

std::string FoldedHelp::make_help(const CLI::App* app, std::string name,
                                  CLI::AppFormatMode mode) const {
    std::string out = make_description(app) + make_usage(app, std::move(name)) +
                      make_positionals(app) + groups_of(app, mode == CLI::AppFormatMode::All);
    const auto rare = app->get_options([app](const CLI::Option* option) {
        return is_listed(*option) && !is_common(*app, *option);
    });
    if (mode == CLI::AppFormatMode::All || rare.empty()) return out + make_footer(app);
    out += fmt::format("\n{} more options: {} --help-all\n", rare.size(), app->get_name());
    return out + with_examples(make_footer(app), example_count);
}

std::string FoldedHelp::groups_of(const CLI::App* app, bool all) const {
    std::string out;
    for (const std::string& group : app->get_groups()) {
        const auto options = app->get_options([&](const CLI::Option* option) {
            return is_listed(*option) && option->get_group() == group &&
                   (all || is_common(*app, *option));
        });
        if (!options.empty()) out += make_group(group, false, options);
    }
    return out;
}

std::string FoldedHelp::make_description(const CLI::App* app) const {
    return folded(app->get_description(), line_width()) + "\n";
}

/// For a plain argument: "IMAGES", "[MODEL ...]".
std::string FoldedHelp::make_option_usage(const CLI::Option* option) const {
    const std::string text = make_option_name(option, true) + make_option_opts(option);
    return option->get_required() ? text : "[" + text + "]";
}

std::string FoldedHelp::make_option_name(const CLI::Option* option, bool is_positional) const {
    const OptionFacts facts = facts_of(*option);
    if (is_positional && !facts.value.empty()) return facts.value;
    return CLI::Formatter::make_option_name(option, is_positional);
}

std::string FoldedHelp::make_option_opts(const CLI::Option* option) const {
    const OptionFacts facts = facts_of(*option);
    if (facts.is_flag() || facts.plain) return facts.repeatable ? " ..." : "";
    std::string out = " " + facts.value;
    if (facts.repeatable) out += " ...";
    return out;
}

std::string FoldedHelp::make_option_desc(const CLI::Option* option) const {
    const OptionFacts facts = facts_of(*option);
    std::string text = facts.help;
    std::vector<std::string> more;
    if (facts.required && !facts.plain) more.emplace_back("required");
    if (!facts.initial.empty() && !names_default(text)) more.push_back("default: " + facts.initial);
    if (!facts.limits.empty()) more.push_back(facts.limits);
    for (const std::string& needed : facts.needs) more.push_back("needs " + needed);
    for (const std::string& other : facts.excludes) more.push_back("not with " + other);
    for (std::size_t i = 0; i < more.size(); ++i) text += (i == 0 ? " (" : "; ") + more[i];
    if (!more.empty()) text += ")";
    return folded(text, line_width() - name_width);
}

}  // namespace assay::cli
