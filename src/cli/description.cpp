#include "cli/description.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "core/text.h"

namespace assay::cli {
namespace {

/// The place for answers of parse() and run_part() to facts_of(). Null while commands run.
CommandFacts*& asked() {
    thread_local CommandFacts* facts = nullptr;
    return facts;
}

/// Reads linf and l2 from "TEXT:{linf,l2}" or "{linf,l2}", the format of CLI::IsMember and
/// type_name().
std::vector<std::string> allowed_in(const std::string& type) {
    std::vector<std::string> values;
    const std::size_t begin = type.rfind('{');
    if (begin == std::string::npos || !type.ends_with('}')) return values;
    for_each_part(std::string_view(type).substr(begin + 1, type.size() - begin - 2), ",",
                  [&](std::string_view value) { values.emplace_back(value); });
    return values;
}

/// Turns "INT in [1 - 100]", the format of CLI::Range, into "1 to 100".
std::string limits_in(const std::string& type) {
    const std::size_t begin = type.rfind(" in [");
    const std::size_t middle = type.find(" - ", begin);
    if (begin == std::string::npos || middle == std::string::npos || !type.ends_with(']'))
        return {};
    return type.substr(begin + 5, middle - begin - 5) + " to " +
           type.substr(middle + 3, type.size() - middle - 4);
}

std::vector<std::string> long_names(const std::set<CLI::Option*>& options) {
    std::vector<std::string> names;
    for (const CLI::Option* option : options) {
        if (!option->get_lnames().empty()) names.push_back("--" + option->get_lnames().front());
    }
    std::sort(names.begin(), names.end());  // the set is ordered by addresses
    return names;
}

/// Turns a list's default, "[a,b]", into "a,b".
std::string without_brackets(std::string text) {
    if (text.starts_with('[') && text.ends_with(']')) return text.substr(1, text.size() - 2);
    return text;
}

/// CLI11 names numbers by their types if an option has no type name.
std::string in_a_word(std::string type) {
    if (type == "INT" || type == "UINT") return "N";
    if (type == "FLOAT") return "NUMBER";
    return type;
}

/// A heading begins at the start of its line, and the lines below it are indented.
std::vector<HelpList> lists_in(std::string_view footer) {
    std::vector<HelpList> lists;
    for_each_line(footer, [&](std::string_view line, std::size_t) {
        if (line.empty()) return;
        if (line.front() != ' ') {
            lists.push_back({std::string(line.substr(0, line.find(':'))), {}});
        } else if (!lists.empty()) {
            constexpr std::size_t indent = 2;
            lists.back().lines.emplace_back(line.substr(indent));
        }
    });
    return lists;
}

}  // namespace

OptionFacts facts_of(const CLI::Option& option) {
    OptionFacts facts;
    facts.plain = option.get_positional();
    if (facts.plain) facts.names.push_back(option.get_name(true));
    for (const std::string& name : option.get_snames()) facts.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) facts.names.push_back("--" + name);
    facts.help = option.get_description();
    facts.group = option.get_group();
    facts.required = option.get_required();
    facts.excludes = long_names(option.get_excludes());
    facts.needs = long_names(option.get_needs());
    if (option.get_items_expected_max() == 0) return facts;  // a flag

    const std::string type = option.get_type_name();
    facts.value = type.starts_with('{') ? type : in_a_word(type.substr(0, type.find(':')));
    facts.allowed = allowed_in(type);
    facts.limits = limits_in(type);
    facts.initial = without_brackets(option.get_default_str());
    facts.list = option.get_delimiter() == ',';
    facts.fewest = static_cast<std::size_t>(option.get_items_expected_min());
    facts.most = static_cast<std::size_t>(option.get_items_expected_max());
    facts.repeatable = facts.most >= OptionFacts::any_number;
    // As in CLI11, allow_extra_args(false) means that one value follows each mention.
    if (facts.repeatable)
        facts.most = option.get_allow_extra_args() ? OptionFacts::any_number : facts.fewest;
    return facts;
}

const std::string& OptionFacts::name() const {
    const auto found =
        std::ranges::find_if(names, [](const std::string& n) { return n.starts_with("--"); });
    return found != names.end() ? *found : names.front();
}

bool answers_with(const CLI::App& app) {
    if (asked() == nullptr) return false;
    CommandFacts& facts = *asked();
    facts.about = app.get_description();
    for (const CLI::Option* option : app.get_options()) {
        // An option without a group is not listed, such as --help-all if --help shows all options.
        if (!option->get_group().empty()) facts.options.push_back(facts_of(*option));
    }
    facts.lists = lists_in(app.get_footer());
    return true;
}

bool answers_with(std::string_view part_word, const std::vector<Command>& parts,
                  std::string_view about, std::string_view examples) {
    if (asked() == nullptr) return false;
    CommandFacts& facts = *asked();
    facts.part_word = part_word;
    facts.parts = parts;
    facts.about = about;
    facts.lists = lists_in("Examples:\n" + std::string(examples));
    return true;
}

CommandFacts facts_of(const Command& command, std::string_view whole) {
    CommandFacts facts;
    facts.name = whole;
    facts.name += (whole.empty() ? "" : " ");
    facts.name += command.name;
    facts.summary = command.summary;
    struct Asking {
        explicit Asking(CommandFacts& facts) { asked() = &facts; }
        ~Asking() { asked() = nullptr; }
        Asking(const Asking&) = delete;
        Asking& operator=(const Asking&) = delete;
    };
    const Asking asking(facts);
    command.run({});
    return facts;
}

void for_each_command(const std::vector<Command>& table,
                      const std::function<void(const CommandFacts&)>& visit) {
    for (const Command& command : table) {
        const CommandFacts facts = facts_of(command);
        visit(facts);
        for (const Command& part : facts.parts) visit(facts_of(part, command.name));
    }
}

}  // namespace assay::cli
