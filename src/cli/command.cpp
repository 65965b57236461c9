#include "cli/command.h"
#include "cli/habits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <utility>

#include "assay/error.h"
#include "assay/report/junit.h"
#include "cli/common_options.h"
#include "cli/description.h"
#include "cli/help.h"
#include "cli/outputs.h"
#include "cli/positionals.h"
#include "cli/ranks.h"
#include "cli/terminal.h"
#include "cli/value_kinds.h"
#include "core/shell_word.h"
#include "core/terminal_text.h"

namespace assay::cli {
namespace {

void say(std::string_view kind, std::string_view colour, std::string_view text) {
    if (!is_first_rank()) return;
    const bool terminal = stderr_is_terminal();
    std::string line = "assay: ";
    if (terminal) line += colour;
    line += kind;
    if (terminal) line += "\033[0m";
    line += ": ";
    line += without_controls(text);
    line += "\n";
    std::fputs(line.c_str(), stderr);
}

std::vector<std::string> option_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
    return names;
}

}  // namespace

std::string command_lines(const std::vector<Command>& commands, bool colour) {
    std::size_t width = 0;
    for (const Command& command : commands) width = std::max(width, command.name.size());
    std::string out;
    for (const Command& command : commands) {
        out += fmt::format("  {}{}{}{}{}\n", colour ? "\033[1m" : "", command.name,
                           colour ? "\033[0m" : "",
                           std::string(width + 2 - command.name.size(), ' '), command.summary);
    }
    return out;
}

int run_part(std::string_view command, std::string_view what, const std::vector<Command>& parts,
             std::string_view summary, std::string_view examples,
             std::vector<std::string> arguments) {
    if (answers_with(what, parts, summary, examples)) return Status::done;
    const std::string first = arguments.empty() ? "" : arguments.front();
    if (first.empty() || asks_for_help(first)) {
        std::string heading = std::string(what) + "s:";
        heading.front() = static_cast<char>(heading.front() - 'a' + 'A');
        std::string usage(what);
        for (char& c : usage) c = static_cast<char>(c - 'a' + 'A');
        write_own(
            fmt::format("{}\n\nUsage: assay {} {} [options]        assay {} {} --help\n\n{}\n{}"
                        "\nExamples:{}",
                        summary, command, usage, command, usage, heading,
                        command_lines(parts, false), examples));
        return first.empty() ? Status::bad_input : Status::done;
    }
    std::vector<std::string> names;
    for (const Command& part : parts) {
        if (part.name == first) return part.run({arguments.begin() + 1, arguments.end()});
        names.emplace_back(part.name);
    }
    throw Error(ErrorCode::usage,
                fmt::format("unknown {} `{}` of {}{} (see `assay {} --help`)", what, first, command,
                            suggest(first, names), command));
}

std::span<const StatusMeaning> status_meanings() {
    static constexpr std::array meanings = {
        StatusMeaning{Status::done, "done"},
        StatusMeaning{Status::gate_broken, "a gate failed"},
        StatusMeaning{Status::bad_input, "bad input or usage"},
        StatusMeaning{Status::partial, "partial result (of check and inspect: something is wrong)"},
        StatusMeaning{Status::interrupted, "interrupted"},
    };
    return meanings;
}

std::string& command_line() {
    static std::string line;
    return line;
}

std::unique_ptr<CLI::App> make_app(std::string_view name, std::string_view summary,
                                   std::string_view examples) {
    auto app = std::make_unique<CLI::App>(std::string(summary), "assay " + std::string(name));
    std::string footer = "\nExamples:\n";
    std::istringstream lines{std::string(examples)};
    for (std::string line; std::getline(lines, line);) {
        if (!line.empty()) footer += "  " + line + "\n";
    }
    app->footer(footer);
    app->formatter(std::make_shared<FoldedHelp>());
    app->set_help_flag("-h,--help", "Print this help");
    // Every command accepts --help-all. If --help shows all options, --help-all is not listed.
    CLI::Option* const all = app->set_help_all_flag("--help-all", "Print all options and examples");
    if (!has_rare_options(name)) all->group("");
    app->add_flag_callback(
        "-q,--quiet", [] {}, "Print no progress and no notes");  // parse() reads this option
    return app;
}

namespace {

/// "is negative" or "is not a finite number"; "" for everything else, including texts. Unsigned
/// options would silently wrap a negative number, and comparisons with NaN would silently accept
/// it.
std::string_view fault_of_number(std::string_view text, bool may_be_negative) {
    const std::string_view bare = text.starts_with('+') ? text.substr(1) : text;
    double number = 0;
    const auto [end, problem] = std::from_chars(bare.data(), bare.data() + bare.size(), number);
    if (problem == std::errc::invalid_argument || end != bare.data() + bare.size()) return "";
    if (!std::isfinite(number)) return "is not a finite number";
    return bare.starts_with('-') && !may_be_negative ? "is negative" : "";
}

bool takes_number(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    const std::string kind = type.substr(0, type.find_first_of(": "));
    return kind == "INT" || kind == "UINT" || kind == "FLOAT" ||
           std::ranges::find(number_kinds, kind) != number_kinds.end();
}

}  // namespace

void check_numbers(CLI::App& app) {
    for (CLI::Option* const option : app.get_options()) {
        if (option->get_items_expected_max() == 0 || !takes_number(*option)) continue;
        // Channels may have a mean below 0.
        const bool may_be_negative = option->check_lname("mean");
        const std::string name = option->get_name();
        option->check(CLI::Validator(
            [name, may_be_negative](const std::string& text) {
                if (const auto fault = fault_of_number(text, may_be_negative); !fault.empty())
                    throw CLI::ConversionError(fmt::format("{} {}: {}", name, text, fault));
                return std::string();
            },
            ""));
    }
}

bool& is_quiet() {
    static bool quiet = false;
    return quiet;
}

/// Replaces CLI11's message, which prints the largest double with 309 digits.
static CLI::Validator in_range(const CLI::Range& range, std::string_view allowed) {
    CLI::Validator validator = range;
    validator.operation([range, allowed](std::string& text) {
        return range(text).empty() ? std::string()
                                   : fmt::format("{} is not allowed; allowed: {}", text, allowed);
    });
    return validator;
}

CLI::Validator above_zero() {
    return in_range(CLI::PositiveNumber, "numbers above 0");
}

CLI::Validator not_below_zero() {
    return in_range(CLI::NonNegativeNumber, "0, and numbers above 0");
}

CLI::Validator decimal_number() {
    return {[](std::string& text) -> std::string {
                std::uint64_t number = 0;
                const char* last = text.data() + text.size();
                const auto [end, problem] = std::from_chars(text.data(), last, number);
                if (problem == std::errc() && end == last && (text.size() == 1 || text[0] != '0'))
                    return "";
                return fmt::format("{} is not a whole number from 0 to {}, without leading zeros",
                                   text, UINT64_MAX);
            },
            "UINT", "decimal number"};
}

/// Gives hints for predict and similar commands, and only for options that the command has. Every
/// command names the commands that measure groups of images.
static std::string habit_for(const std::string& argument, const CLI::App& app) {
    const std::string name = argument.substr(0, argument.find('='));
    const bool groups = name == "--by" || name == "--cluster";
    if (!groups && app.get_option_no_throw("--model") == nullptr) return {};
    return habit(argument, [&app](const std::string& option) {
        return app.get_option_no_throw(option) != nullptr;
    });
}

/// "RUNS is required: for example `assay score runs`". CLI11 would use the argument's name in the
/// code.
static std::string what_is_missing(const CLI::App& app) {
    std::string out = "an argument is required";
    for (const CLI::Option* option : app.get_options()) {
        if (!option->get_required() || option->count() > 0) continue;
        const OptionFacts facts = facts_of(*option);
        out = (facts.plain ? facts.value : facts.name()) + " is required";
        break;
    }
    constexpr std::string_view heading = "Examples:\n  ";
    const std::string footer = app.get_footer();
    const std::size_t begin = footer.find(heading);
    if (begin == std::string::npos) return out;
    const std::size_t first = begin + heading.size();
    return out + ": for example `" + footer.substr(first, footer.find('\n', first) - first) + "`";
}

/// For `assay predict m.pt val`, in the style of `assay eval`: the command with options for both
/// arguments. "" for other commands.
static std::string with_options(const CLI::App& app, const std::vector<std::string>& plain) {
    const CLI::Option* const model = app.get_option_no_throw("--model");
    const CLI::Option* const data = app.get_option_no_throw("--data");
    if (model == nullptr || data == nullptr || model->count() + data->count() > 0) return {};
    if (plain.size() != 2) return {};
    return fmt::format(": type `{} -m {} -d {}`", app.get_name(), shell_word(plain[0]),
                       shell_word(plain[1]));
}

bool parse(CLI::App& app, std::vector<std::string> arguments) {
    if (answers_with(app)) return false;
    check_numbers(app);
    for (const std::string& argument : arguments) {
        if (argument == "--") break;
        // Otherwise CLI11 would use the next argument as the value, as for `--option value`.
        if (argument.starts_with("--") && argument.ends_with("=") &&
            std::count(argument.begin(), argument.end(), '=') == 1)
            throw Error(ErrorCode::usage,
                        fmt::format("{} has no value; see `{} --help`", argument, app.get_name()));
    }
    arguments = own_arguments_first(app, arguments);
    // CLI11 expects the arguments in reverse order
    std::reverse(arguments.begin(), arguments.end());
    try {
        app.parse(arguments);
        check_outputs(app);
        is_quiet() = is_quiet() || app.count(quiet_option) > 0;
        return true;
    } catch (const CLI::CallForHelp&) {
        write_own(app.help());
        return false;
    } catch (const CLI::CallForAllHelp&) {
        write_own(app.help("", CLI::AppFormatMode::All));
        return false;
    } catch (const CLI::ParseError& error) {
        // A misspelled option is reported first: it also explains a missing option. The plain
        // arguments after it may be its values, so they are only reported without one.
        const std::vector<std::string> left = app.remaining();
        const bool options = std::any_of(left.begin(), left.end(), [](const std::string& argument) {
            return argument.starts_with("-");
        });
        std::string what;
        for (const std::string& argument : left) {
            if (options && !argument.starts_with("-")) continue;
            what += (what.empty() ? "unexpected `" : " `") + argument + "`";
            if (!options) continue;
            const std::string known = habit_for(argument, app);
            what += known.empty() ? suggest(argument, option_names(app)) : known;
        }
        if (!options) what += with_options(app, left);
        if (what.empty())
            what = error.get_name() == "RequiredError" ? what_is_missing(app) : error.what();
        throw Error(ErrorCode::usage, what + "; see `" + app.get_name() + " --help`");
    }
}

void Output::add_to(CLI::App& app) {
    const auto take = [this](ReportFormat taken) {
        format = taken;
        json = taken == ReportFormat::json;
        csv = taken == ReportFormat::csv;
    };
    const auto choose = [this, take](ReportFormat named) {
        chosen = true;
        take(named);
    };
    auto* named = app.add_option_function<std::string>(
        "--format", [choose](const std::string& name) { choose(report_format_named(name)); },
        fmt::format("Format of the result: {}", fmt::join(report_format_names(), ", ")));
    const std::string group = "Output";
    named->type_name("FORMAT")
        ->check(CLI::IsMember(report_format_names()))
        ->default_str("text")
        ->group(group);
    auto* as_json = app.add_flag_callback(
        "--json", [choose] { choose(ReportFormat::json); }, "Short for --format json");
    auto* as_csv = app.add_flag_callback(
        "--csv", [choose] { choose(ReportFormat::csv); }, "Short for --format csv");
    as_json->excludes(named)->group(group);
    as_csv->excludes(named)->excludes(as_json)->group(group);
    app.add_option_function<std::string>(
           "-o,--output",
           [this, take](const std::string& name) {
               file = name;
               if (const auto by_ending = report_format_of(file); by_ending && !chosen)
                   take(*by_ending);
           },
           "Write the result to FILE instead of stdout (-: stdout); .json, .csv, .md and .tex "
           "choose the format")
        ->type_name("FILE")
        ->group(group);
}

void Output::add_junit_to(CLI::App& app) {
    app.add_option("--junit", junit,
                   "Write the outcomes of the gates as tests, in JUnit XML for CI systems")
        ->type_name("FILE");
}

void Output::check_junit(bool gates) const {
    if (!junit.empty() && !gates)
        throw Error(ErrorCode::usage, "--junit needs --gate: it has the outcomes of the gates");
}

void Output::check_is_report(std::string_view what, std::string_view option) const {
    const std::filesystem::path ending = file.extension();
    if ((chosen && format != ReportFormat::text) || (ending != ".csv" && ending != ".json")) return;
    throw Error(ErrorCode::usage,
                fmt::format("-o {0} is for the report: write {1} with {2} {0}, or the report in "
                            "that format with {3}",
                            file.string(), what, option, ending == ".csv" ? "--csv" : "--json"));
}

void Output::print(const Report& report) const {
    for (const std::string& text : report.warnings) warn(text);
    const bool terminal = to_stdout() && stdout_is_terminal();
    const std::string text =
        render(report, format, {.colour = terminal, .width = terminal ? stdout_width() : 0});
    // The text form contains no control characters except its own colors.
    if (to_stdout() && format == ReportFormat::text) {
        write_own(text);
    } else {
        write(text);
    }
    logs.write(report);
    if (!junit.empty()) write_result(junit, junit_xml(report));
}

bool Output::to_stdout() const {
    return is_stdout(file);
}

void Output::write(std::string_view text) const {
    write_result(file, text);
}

std::string as_typed(const std::string& word) {
    return shell_word(word);
}

void warn(std::string_view text) {
    say("warning", "\033[33m", text);
}
void note(std::string_view text) {
    if (!is_quiet()) announce(text);
}
void announce(std::string_view text) {
    say("note", "\033[2m", text);
}

}  // namespace assay::cli
