// The table of commands, and what every command shares: options with examples, tables, progress,
// exit statuses.
#pragma once

#include <CLI/App.hpp>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/report.h"
#include "cli/logs.h"

namespace assay::cli {

/// Exit statuses: the command's promise to scripts (README).
enum Status {
    done = 0,
    gate_broken = 1,
    bad_input = 2,
    partial = 3,  ///< a partial result; of check: something is wrong
    internal_error = 70,
    interrupted = 130
};

struct StatusMeaning {
    Status status;
    std::string_view meaning;
};
/// What users may meet, an internal error left out.
std::span<const StatusMeaning> status_meanings();

/// One command: a row of the table in commands.cpp. `run` gets the arguments after the command's
/// name; it may throw assay::Error.
struct Command {
    std::string_view name;
    std::string_view summary;
    int (*run)(std::vector<std::string> arguments);
};

int cmd_attack(std::vector<std::string> arguments);
int cmd_audit(std::vector<std::string> arguments);
int cmd_calibrate(std::vector<std::string> arguments);
int cmd_check(std::vector<std::string> arguments);
int cmd_completion(std::vector<std::string> arguments);
int cmd_compare(std::vector<std::string> arguments);
int cmd_conformal(std::vector<std::string> arguments);
int cmd_corrupt(std::vector<std::string> arguments);
int cmd_cost(std::vector<std::string> arguments);
int cmd_decide(std::vector<std::string> arguments);
int cmd_demo(std::vector<std::string> arguments);
int cmd_ensemble(std::vector<std::string> arguments);
int cmd_estimate(std::vector<std::string> arguments);
int cmd_export(std::vector<std::string> arguments);
int cmd_gap(std::vector<std::string> arguments);
int cmd_import(std::vector<std::string> arguments);
int cmd_labels(std::vector<std::string> arguments);
int cmd_list(std::vector<std::string> arguments);
int cmd_mad(std::vector<std::string> arguments);
int cmd_manual(std::vector<std::string> arguments);
int cmd_patchml(std::vector<std::string> arguments);
int cmd_plot(std::vector<std::string> arguments);
int cmd_predict(std::vector<std::string> arguments);
int cmd_quality(std::vector<std::string> arguments);
int cmd_replicate(std::vector<std::string> arguments);
int cmd_report(std::vector<std::string> arguments);
int cmd_robustness(std::vector<std::string> arguments);
int cmd_run(std::vector<std::string> arguments);
int cmd_score(std::vector<std::string> arguments);
int cmd_serve(std::vector<std::string> arguments);
int cmd_show(std::vector<std::string> arguments);
int cmd_join(std::vector<std::string> arguments);
int cmd_verify(std::vector<std::string> arguments);
int cmd_torch(std::vector<std::string> arguments);
int cmd_version(std::vector<std::string> arguments);

/// Explicit order: the order of `assay --help`.
const std::vector<Command>& commands();

/// Of `assay --help`.
const std::vector<std::string>& program_examples();

/// One line a command for `assay --help`: names as wide as the longest, then summaries.
std::string command_lines(const std::vector<Command>& commands, bool colour);

/// A command of several parts, each with options of its own: runs the one that the first argument
/// names, or prints `help` with its parts. `what` is a part to the user: "part", "step". Throws
/// usage: unknown.
int run_part(std::string_view command, std::string_view what, const std::vector<Command>& parts,
             std::string_view summary, std::string_view examples,
             std::vector<std::string> arguments);

/// The whole command line as typed, for provenance; set once by main.
std::string& command_line();

/// A CLI11 application for one command, with the options that all have: --help and --quiet. Name,
/// one-line summary, `examples` (one per line, "assay score runs ...") printed below the options by
/// --help.
std::unique_ptr<CLI::App> make_app(std::string_view name, std::string_view summary,
                                   std::string_view examples);

/// Parses; returns true when the command should go on. On --help it prints to stdout and returns
/// false, as it does where the application was only asked for (description.h); a usage error is
/// thrown as Error{usage} with the nearest known option.
bool parse(CLI::App& app, std::vector<std::string> arguments);

CLI::Validator above_zero();
CLI::Validator not_below_zero();
/// For seeds: a whole number from 0 to 2^64 - 1 in plain decimal. CLI11 alone would take 010 for 8,
/// and the largest number for a larger one.
CLI::Validator decimal_number();

/// Has the options whose values are numbers (number_kinds) refuse NaN, infinity and, but for
/// --mean, what is negative.
void check_numbers(CLI::App& app);

/// -q, which every command has: set by parse(), and never unset, so that what a command runs inside
/// it is quiet, too.
bool& is_quiet();
inline constexpr const char* quiet_option = "--quiet";

/// How the result is written, and where: --format (--json and --csv for short) and -o.
struct Output {
    ReportFormat format = ReportFormat::text;
    bool json = false;            ///< format is json
    bool csv = false;             ///< format is csv
    bool chosen = false;          ///< by an option; else by the ending of `file`, or text
    std::filesystem::path file;   ///< -o: "" or "-" = stdout
    Logs logs;                    ///< of commands that measure: logs.add_to()
    std::filesystem::path junit;  ///< "": none

    void add_to(CLI::App& app);
    /// --junit, for commands with gates.
    void add_junit_to(CLI::App& app);
    /// Throws usage: outcomes are asked for, of no gate.
    void check_junit(bool gates) const;
    /// For a command that writes `what` by the option `option`, which is not there: throws usage
    /// where -o names a file that looks like one of these, and no option says that it is the
    /// report.
    void check_is_report(std::string_view what, std::string_view option) const;
    bool to_stdout() const;
    /// The report's warnings to stderr, the report to stdout or `file`; then the logs and the
    /// outcomes of its gates.
    void print(const Report& report) const;
    /// Writes the text to stdout or to `file`, as write_result does.
    void write(std::string_view text) const;
};

/// A word that the shell takes for this one: a command in a hint should work as it is printed.
std::string as_typed(const std::string& word);

/// A warning or note on stderr ("assay: warning: ..."), coloured on a terminal only. With -q there
/// are no notes; announce() writes what must be seen all the same: the address of a page.
void warn(std::string_view text);
void note(std::string_view text);
void announce(std::string_view text);

}  // namespace assay::cli
