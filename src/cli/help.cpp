#include "cli/help.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "cli/description.h"
#include "cli/terminal.h"
#include "core/text.h"

namespace assay::cli {
namespace {

std::size_t line_width() {
    return std::clamp(stdout_width(), FoldedHelp::least_width, FoldedHelp::help_width);
}

/// Whether the description names the default itself, as " (default: ...)".
bool names_default(const std::string& text) {
    return text.find("default") != std::string::npos;
}

}  // namespace

std::string FoldedHelp::make_description(const CLI::App* app) const {
    return folded(app->get_description(), line_width()) + "\n";
}

/// Of a plain argument: "IMAGES", "[MODEL ...]".
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
