// What the program understands, as data: each command of the table, its parts and its options, as
// the command itself declares them. Completion and the manual pages are made of it, so that a new
// command or option has both from its first day.
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
    /// Many values: as many as come before the next option.
    static constexpr std::size_t any_number = 1000;

    std::vector<std::string> names;    ///< "-m", "--model"; of a plain argument its name alone
    bool plain = false;                ///< an argument without dashes
    std::string value;                 ///< what --help calls its value: "FILE"; "": a flag
    std::vector<std::string> allowed;  ///< all that the value may be, where that is a few words
    std::string limits;                ///< "1 to 100"; "": none
    std::string initial;               ///< what stands in for it where it is not given
    std::string help, group;
    bool required = false;
    bool repeatable = false;  ///< may be given again, for more values
    /// Values after one mention of it, at least and at most.
    std::size_t fewest = 0, most = 0;
    bool list = false;  ///< an argument may hold several values, with commas between them
    /// Long names: what it cannot be given with, and cannot be given without.
    std::vector<std::string> excludes, needs;

    /// Its long name, or the only one.
    const std::string& name() const;
    bool is_flag() const { return value.empty(); }
};

/// Lines to copy or to choose from below a command's options: "Examples", "Plots".
struct HelpList {
    std::string heading;
    std::vector<std::string> lines;
};

struct CommandFacts {
    std::string name;     ///< as typed behind `assay`: "labels stats"
    std::string summary;  ///< a few words
    std::string about;    ///< whole sentences
    std::vector<OptionFacts> options;
    std::vector<HelpList> lists;
    std::string part_word;  ///< what a part is to users: "part", "step"; "": there are none
    std::vector<Command> parts;
};

OptionFacts facts_of(const CLI::Option& option);
/// Asks the command, or the part of the command `whole`, what it understands. Nothing is run.
CommandFacts facts_of(const Command& command, std::string_view whole = {});
/// All commands of the table, each before its parts.
void for_each_command(const std::vector<Command>& table,
                      const std::function<void(const CommandFacts&)>& visit);

/// For parse() and run_part(): true where facts_of() asks and has been answered, so that the
/// command must end here.
bool answers_with(const CLI::App& app);
bool answers_with(std::string_view part_word, const std::vector<Command>& parts,
                  std::string_view about, std::string_view examples);

}  // namespace assay::cli
