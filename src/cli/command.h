// The table of commands, and what every command shares: options with examples, tables, progress, exit statuses.
#pragma once

#include <CLI/App.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace assay::cli {

/// Exit statuses: the command's promise to scripts (README).
enum Status { done = 0, gate_broken = 1, bad_input = 2, partial = 3, internal_error = 70, interrupted = 130 };

/// One command: a row of the table in main.cpp. `run` gets the words after the command's name; it may throw
/// assay::Error.
struct Command {
    std::string_view name;
    std::string_view summary;
    int (*run)(std::vector<std::string> words);
};

int cmd_check(std::vector<std::string> words);
int cmd_compare(std::vector<std::string> words);
int cmd_demo(std::vector<std::string> words);
int cmd_gap(std::vector<std::string> words);
int cmd_import(std::vector<std::string> words);
int cmd_labels(std::vector<std::string> words);
int cmd_list(std::vector<std::string> words);
int cmd_patchml(std::vector<std::string> words);
int cmd_predict(std::vector<std::string> words);
int cmd_replicate(std::vector<std::string> words);
int cmd_run(std::vector<std::string> words);
int cmd_score(std::vector<std::string> words);
int cmd_show(std::vector<std::string> words);
int cmd_verify(std::vector<std::string> words);

/// Throw what the command would throw for these words before it opens a store: unknown flags, metrics, gates, files.
void check_compare_words(std::vector<std::string> words);
void check_score_words(std::vector<std::string> words);

/// Explicit order: the order of `assay --help`.
const std::vector<Command>& commands();

/// The whole command line as typed, for provenance; set once by main.
std::string& command_line();

/// A CLI11 application for one command: name, one-line summary, `examples` (one per line, "assay score runs ...")
/// printed below the options by --help.
std::unique_ptr<CLI::App> make_app(std::string_view name, std::string_view summary, std::string_view examples);

/// Parses; returns true when the command should go on. On --help it prints to stdout and returns false; a usage error
/// is thrown as Error{usage} with the nearest known option.
bool parse(CLI::App& app, std::vector<std::string> words);

/// For seeds: a whole number from 0 to 2^64 - 1 in plain decimal. CLI11 alone would take 010 for 8, and the largest
/// number for a larger one.
CLI::Validator decimal_number();

/// Where the result goes: a table for people by default, or JSON or CSV, to stdout or to a file.
struct Output {
    bool json = false;
    bool csv = false;
    std::filesystem::path file;  ///< -o: "" or "-" = stdout

    void add_to(CLI::App& app);
    bool to_stdout() const;
    /// Writes the text to stdout or to `file`, as write_result does.
    void write(std::string_view text) const;
};

/// A warning or note on stderr ("assay: warning: ..."), coloured on a terminal only.
void warn(std::string_view text);
void note(std::string_view text);

}  // namespace assay::cli
