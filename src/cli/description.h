// The program's command line as data: each command of the table, its parts and its options, as
// declared by the command itself. Completion and the manual pages are generated from it, so that a
// new command or option has both immediately.
#pragma once

#include <CLI/App.hpp>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace assay::cli {

/// An option, or a plain argument.
struct OptionFacts {
    /// Stands for any number of values: all values before the next option.
    static constexpr std::size_t any_number = 1000;

    std::vector<std::string> names;    ///< "-m", "--model"; for a plain argument, only its name
    bool plain = false;                ///< an argument without dashes
    std::string value;                 ///< name of its value in --help: "FILE"; "" for a flag
    std::vector<std::string> allowed;  ///< all allowed values, if they are a few words
    std::string limits;                ///< "1 to 100"; "" if there are none
    std::string initial;               ///< the default value
    std::string help, group;
    bool required = false;
    bool repeatable = false;  ///< may be repeated to give more values
    /// Minimum and maximum number of values after one mention.
    std::size_t fewest = 0, most = 0;
    bool list = false;  ///< an argument may contain several values, separated by commas
    /// Long names of options that exclude it, and of options that it needs.
    std::vector<std::string> excludes, needs;

    /// The option's long name, or its only name.
    const std::string& name() const;
    bool is_flag() const { return value.empty(); }
};

/// Lines below a command's options to copy or to choose from: "Examples", "Plots".
struct HelpList {
    std::string heading;
    std::vector<std::string> lines;
};

struct CommandFacts {
    std::string name;     ///< as typed after `assay`: "labels stats"
    std::string summary;  ///< a few words that describe the command
    std::string about;    ///< whole sentences
    std::vector<OptionFacts> options;
    std::vector<HelpList> lists;
    std::string part_word;  ///< the users' word for a part: "part", "step"; "" if there are none
    std::vector<Command> parts;
};

OptionFacts facts_of(const CLI::Option& option);
/// Returns the description of the command, or of the part of the command `whole`. Nothing is run.
CommandFacts facts_of(const Command& command, std::string_view whole = {});
/// All commands of the table, each before its parts.
void for_each_command(const std::vector<Command>& table,
                      const std::function<void(const CommandFacts&)>& visit);

/// For parse() and run_part(): true if facts_of() called and has its answer, so that the command
/// must end here.
bool answers_with(const CLI::App& app);
bool answers_with(std::string_view part_word, const std::vector<Command>& parts,
                  std::string_view about, std::string_view examples);

}  // namespace assay::cli
