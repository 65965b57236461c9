// The table of commands, and the parts that all commands share: options with examples, tables,
// progress, exit statuses.
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

/// Exit statuses: scripts can rely on these (README).
enum Status {
    done = 0,
    gate_broken = 1,
    bad_input = 2,
    partial = 3,  ///< a partial result; `check`: an error was found
    internal_error = 70,
    interrupted = 130
};

/// A gate that failed is more than a partial result: a script may accept the latter.
constexpr Status status_of(bool partial, bool passed) {
    return !passed ? gate_broken : partial ? Status::partial : done;
}

struct StatusMeaning {
    Status status;
    std::string_view meaning;
};
/// The statuses that users may see, without an internal error.
std::span<const StatusMeaning> status_meanings();

/// One command: a row of the table in commands.cpp. `run` receives the arguments after the
/// command's name; it may throw assay::Error.
struct Command {
    std::string_view name;
    std::string_view summary;
    int (*run)(std::vector<std::string> arguments);
};

int cmd_attack(std::vector<std::string> arguments);
int cmd_certify(std::vector<std::string> arguments);
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
int cmd_slices(std::vector<std::string> arguments);
int cmd_torch(std::vector<std::string> arguments);
int cmd_version(std::vector<std::string> arguments);

/// The commands in the order of `assay --help`.
const std::vector<Command>& commands();

/// The examples of `assay --help`.
const std::vector<std::string>& program_examples();

/// One line per command for `assay --help`: names padded to the longest, then summaries.
std::string command_lines(const std::vector<Command>& commands, bool colour);

/// For a command with several parts, each of which has its own options. Runs the part that the
/// first argument names, or prints `help` with its parts. `what` is the user's word for a part:
/// "part", "step". Throws usage for an unknown part.
int run_part(std::string_view command, std::string_view what, const std::vector<Command>& parts,
             std::string_view summary, std::string_view examples,
             std::vector<std::string> arguments);

/// The whole command line as typed, for provenance; set once by main.
std::string& command_line();

/// A CLI11 application for one command, with the common options: --help and --quiet. It has a name,
/// a one-line summary, and `examples` (one per line, "assay score runs ..."), which --help prints
/// below the options.
std::unique_ptr<CLI::App> make_app(std::string_view name, std::string_view summary,
                                   std::string_view examples);

/// Parses the arguments; returns true if the command should continue. For --help, it prints to
/// stdout and returns false; it also returns false if only the description was requested
/// (description.h). A usage error is thrown as Error{usage} with the nearest known option.
bool parse(CLI::App& app, std::vector<std::string> arguments);

CLI::Validator above_zero();
CLI::Validator not_below_zero();
/// For seeds: a whole number from 0 to 2^64 - 1 in plain decimal. CLI11's own parser would read 010
/// as 8, and the largest number as a larger one.
CLI::Validator decimal_number();

/// Makes the options whose values are numbers (number_kinds) refuse NaN, infinity and, except for
/// --mean, negative numbers.
void check_numbers(CLI::App& app);

/// -q, which every command has. parse() sets it, and it is never reset, so that commands inside a
/// command are also quiet.
bool& is_quiet();
inline constexpr const char* quiet_option = "--quiet";

/// The format and destination of the result: --format (--json and --csv for short) and -o.
struct Output {
    ReportFormat format = ReportFormat::text;
    bool json = false;            ///< format is json
    bool csv = false;             ///< format is csv
    bool chosen = false;          ///< set by an option; otherwise the extension of `file` decides,
                                  ///< or it is text
    std::filesystem::path file;   ///< -o: "" or "-" = stdout
    Logs logs;                    ///< for commands that measure: logs.add_to()
    std::filesystem::path junit;  ///< "": none

    void add_to(CLI::App& app);
    /// Adds --junit, for commands with gates.
    void add_junit_to(CLI::App& app);
    /// Throws usage if outcomes are requested but there is no gate.
    void check_junit(bool gates) const;
    /// For a command that writes `what` with the option `option`. Throws usage if that
    /// option is missing, -o names such a file, and no option says that the file is the
    /// report.
    void check_is_report(std::string_view what, std::string_view option) const;
    bool to_stdout() const;
    /// Writes the report's warnings to stderr and the report to stdout or `file`; then the logs and
    /// the outcomes of its gates.
    void print(const Report& report) const;
    /// Writes the text to stdout or to `file`, as write_result() does.
    void write(std::string_view text) const;
};

/// Quotes a word for the shell: a command in a hint should work as it is printed.
std::string as_typed(const std::string& word);

/// A warning or note on stderr ("assay: warning: ..."), colored only on a terminal. With -q there
/// are no notes; announce() writes text that must always be visible, such as the address of a page.
void warn(std::string_view text);
void note(std::string_view text);
void announce(std::string_view text);

}  // namespace assay::cli
