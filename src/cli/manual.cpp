#include "cli/manual.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "assay/evaluate/listing.h"
#include "assay/version.h"
#include "cli/command.h"
#include "cli/description.h"
#include "cli/roff.h"
#include "cli/values.h"

namespace assay::cli {
namespace {

constexpr std::string_view help_option = "--help";

/// Turns "labels stats" into "assay-labels-stats".
std::string page_name(std::string_view command) {
    std::string name = "assay";
    if (!command.empty()) name += "-" + std::string(command);
    std::ranges::replace(name, ' ', '-');
    return name;
}

std::string reference_to(std::string_view command) {
    return roff_bold(page_name(command)) + "(1)";
}

/// The NAME section has no capital and no full stop.
std::string with_small_letter(std::string_view text) {
    std::string out(text);
    const bool word = out.size() > 1 && out[1] >= 'a' && out[1] <= 'z';
    if (word && out[0] >= 'A' && out[0] <= 'Z') out[0] = static_cast<char>(out[0] - 'A' + 'a');
    return out;
}

std::string with_capital(std::string_view text) {
    std::string out(text);
    if (!out.empty() && out[0] >= 'a' && out[0] <= 'z')
        out[0] = static_cast<char>(out[0] - 'a' + 'A');
    return out;
}
std::string in_capitals(std::string text) {
    for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return text;
}

/// The notation of the value: linf|l2 for "{linf,l2}", "FILE" in italics. A bar may end a line.
std::string value_text(const OptionFacts& option) {
    std::string one = roff_italic(option.value);
    if (!option.allowed.empty()) {
        one.clear();
        for (const std::string& value : option.allowed)
            one += (one.empty() ? "" : "|\\:") + roff_bold(value);
    }
    // "V1 V2" already shows that there are two values.
    if (option.value.find(' ') != std::string::npos) return one;
    std::string out = one;
    for (std::size_t n = 1; n < option.fewest; ++n) out += " " + one;
    if (option.most > std::max<std::size_t>(option.fewest, 1) || option.repeatable) out += " ...";
    return option.fewest == 0 && !option.plain ? "[" + out + "]" : out;
}

std::string term_of(const OptionFacts& option) {
    if (option.plain) return value_text(option);
    std::string out;
    for (const std::string& name : option.names) out += (out.empty() ? "" : ", ") + roff_bold(name);
    return option.is_flag() ? out : out + " " + value_text(option);
}

std::string all_of(const std::vector<std::string>& names) {
    std::string out;
    for (std::size_t i = 0; i < names.size(); ++i)
        out += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + roff_bold(names[i]);
    return out;
}

/// The help's text, followed by further facts about the option, one sentence each.
std::string meaning_of(const OptionFacts& option) {
    std::string out = roff_prose(option.help);
    const auto add = [&](const std::string& sentence) { out += " " + sentence + "."; };
    if (!out.ends_with('.') && !out.ends_with('?')) out += '.';
    if (!option.limits.empty()) add("Allowed: " + roff_text(option.limits));
    if (option.list) add("Several with commas between them");
    if (!option.initial.empty()) add("Default: " + roff_code(option.initial));
    if (option.required && !option.plain) add("Required");
    if (!option.needs.empty()) add("Goes with " + all_of(option.needs));
    if (!option.excludes.empty()) add("Not with " + all_of(option.excludes));
    return out;
}

std::string synopsis_of(const CommandFacts& command) {
    std::string out = roff_bold("assay " + command.name);
    if (!command.parts.empty()) {
        return out + " " + roff_italic(in_capitals(command.part_word)) + " [" +
               roff_italic("OPTIONS") + "]";
    }
    for (const OptionFacts& option : command.options) {
        if (option.required && !option.plain)
            out += " " + roff_bold(option.name()) + " " + value_text(option);
    }
    out += " [" + roff_italic("OPTIONS") + "]";
    for (const OptionFacts& option : command.options) {
        if (!option.plain) continue;
        out += option.required ? " " + value_text(option) : " [" + value_text(option) + "]";
    }
    return out;
}

/// Plain arguments come first, then the groups in the order of the help; --help, which all commands
/// have, is last.
void write_options(RoffPage& page, const CommandFacts& command) {
    std::vector<std::pair<std::string, std::vector<const OptionFacts*>>> groups;
    const OptionFacts* help = nullptr;
    for (const OptionFacts& option : command.options) {
        if (option.name() == help_option) {
            help = &option;
            continue;
        }
        const std::string group = option.plain ? "Arguments" : option.group;
        auto found = std::ranges::find(groups, group, [](const auto& g) { return g.first; });
        if (found == groups.end()) found = groups.insert(groups.end(), {group, {}});
        found->second.push_back(&option);
    }
    std::stable_partition(groups.begin(), groups.end(),
                          [](const auto& g) { return g.first == "Arguments"; });
    if (help != nullptr && groups.empty()) groups.push_back({"Options", {}});
    if (help != nullptr) groups.back().second.push_back(help);
    page.section("OPTIONS");
    for (const auto& [title, options] : groups) {
        page.subsection(title);
        for (const OptionFacts* option : options) page.item(term_of(*option), meaning_of(*option));
    }
}

void add_parts(RoffPage& page, const CommandFacts& command) {
    page.section(in_capitals(command.part_word + "s"));
    for (const Command& part : command.parts)
        page.item(reference_to(command.name + " " + std::string(part.name)),
                  roff_prose(part.summary) + ".");
}

void add_lists(RoffPage& page, const CommandFacts& command) {
    for (const HelpList& list : command.lists) {
        page.section(in_capitals(list.heading));
        page.code(list.lines);
    }
}

/// A command's page only has the statuses that it may exit with.
void add_statuses(RoffPage& page, const CommandFacts* command) {
    const bool gates =
        command == nullptr || std::ranges::any_of(command->options, [](const OptionFacts& option) {
            return option.name() == "--gate";
        });
    page.section("EXIT STATUS");
    for (const auto& [status, meaning] : status_meanings()) {
        if (status == Status::gate_broken && !gates) continue;
        // Only the page for all commands and the pages of these two show "(for check ...)".
        const bool whole =
            command == nullptr || command->name == "check" || command->name == "inspect";
        const std::string_view text = whole ? meaning : meaning.substr(0, meaning.find(" ("));
        page.item(roff_bold(std::to_string(status)), roff_prose(with_capital(text)) + ".");
    }
}

/// True if the text names the command as `assay NAME`.
bool names(const CommandFacts& command, const std::string& other) {
    const auto named_in = [&](const std::string& text) {
        const std::string typed = "assay " + other;
        for (std::size_t at = text.find(typed); at != std::string::npos;
             at = text.find(typed, at + 1)) {
            const std::size_t end = at + typed.size();
            if (end == text.size() || !((text[end] >= 'a' && text[end] <= 'z') || text[end] == '-'))
                return true;
        }
        return false;
    };
    const auto in_lines = [&](const HelpList& list) {
        return std::ranges::any_of(list.lines, named_in);
    };
    return named_in(command.about) || std::ranges::any_of(command.lists, in_lines) ||
           std::ranges::any_of(command.options, named_in, &OptionFacts::help);
}

void add_see_also(RoffPage& page, const CommandFacts& command) {
    std::string out = reference_to("");
    const std::string whole = command.name.substr(0, command.name.find(' '));
    if (whole != command.name) out += ", " + reference_to(whole);
    for (const Command& other : commands()) {
        const std::string name(other.name);
        if (name != whole && names(command, name)) out += ", " + reference_to(name);
    }
    page.section("SEE ALSO");
    page.paragraph(out);
}

ManualPage page_of(const CommandFacts& command, std::string_view date) {
    const std::string name = page_name(command.name);
    RoffPage page(name, date, version);
    page.section("NAME");
    page.paragraph(roff_code(name) + " \\- " + roff_text(with_small_letter(command.summary)));
    page.section("SYNOPSIS");
    page.paragraph(synopsis_of(command));
    page.section("DESCRIPTION");
    page.paragraph(roff_prose(command.about));
    if (command.parts.empty()) {
        write_options(page, command);
    } else {
        add_parts(page, command);
    }
    add_lists(page, command);
    add_statuses(page, &command);
    add_see_also(page, command);
    return {name + ".1", page.text()};
}

/// Names of files and folders that no option sets.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> files = {{
    {"RUNS/DATASET/CLASSIFIER",
     "A store: the scores of one classifier on one data set in checksummed shards, which every "
     "command but those that run models reads. Rerun a killed command to resume it."},
    {"RUNS/DATASET/dataset.json, items.csv",
     "The items that the rows of the data set's stores belong to."},
    {"RUNS/.archives", "Contents of archives at URLs, so that they need not be read again."},
    {"MODEL.toml, MODEL.json",
     "A model settings file (sidecar) next to the model: its preprocessing."},
    {"assay.toml", "The steps of `assay run` and `assay quality run`."},
    {"COMPETITION/competition.sqlite", "A competition of `assay mad`, with people's answers."},
    {"~/.aws/credentials, ~/.aws/config", "For s3://, as the AWS tools write them."},
    {"~/.netrc", "Passwords of web servers."},
}};

void add_values(RoffPage& page) {
    page.section("VALUES");
    page.paragraph("Words in capitals stand for values:");
    for (const ValueKind& kind : value_kinds()) {
        if (kind.is.empty()) continue;
        page.item(roff_italic(kind.name), roff_prose(kind.is) + ".");
    }
}

ManualPage page_of_program(std::string_view date) {
    RoffPage page("assay", date, version);
    page.section("NAME");
    page.paragraph("assay \\- evaluation of image classifiers");
    page.section("SYNOPSIS");
    page.paragraph(roff_bold("assay") + " " + roff_italic("COMMAND") + " [" +
                   roff_italic("OPTIONS") + "]");
    page.paragraph(roff_bold("assay") + " " + roff_italic("COMMAND") + " " + roff_bold("--help"));
    page.paragraph(roff_bold("assay --version"));
    page.section("DESCRIPTION");
    page.paragraph(
        roff_prose("Assay runs image classifiers over images once and stores every score. From the "
                   "stored predictions it computes accuracy, calibration, multi-label and "
                   "comparison metrics, each with its confidence interval and the name of its "
                   "exact definition. Results are bit-identical for any number of threads."));
    page.paragraph(roff_prose(
        "Results go to stdout, progress and warnings to stderr. Most commands print text, or csv, "
        "JSON, Markdown and LaTeX with `--format`."));
    page.section("COMMANDS");
    for (const Command& command : commands())
        page.item(reference_to(command.name), roff_prose(command.summary) + ".");
    add_values(page);
    add_statuses(page, nullptr);
    page.section("ENVIRONMENT");
    for (const auto& [name, value, meaning] : environment_variables())
        page.item(roff_bold(name) + " (" + roff_text(value) + ")",
                  roff_prose(with_capital(meaning)) + ".");
    page.section("FILES");
    for (const auto& [name, is] : files) page.item(roff_italic(name), roff_prose(is));
    page.section("EXAMPLES");
    page.code(program_examples());
    return {"assay.1", page.text()};
}

}  // namespace

std::vector<ManualPage> manual_pages(std::string_view date) {
    std::vector<ManualPage> pages = {page_of_program(date)};
    for_each_command(commands(),
                     [&](const CommandFacts& command) { pages.push_back(page_of(command, date)); });
    return pages;
}

}  // namespace assay::cli
