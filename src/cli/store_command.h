// A command that `assay run` can also run, with its options as a struct. The command line fills it
// from its arguments, and `assay run` from a table of assay.toml. Most of these commands read
// stores.
#pragma once

#include <CLI/App.hpp>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace assay::cli {

/// The predictions of `assay run`, existing or planned.
struct Runs {
    std::filesystem::path folder;
    std::vector<std::string> models;    ///< in the order of the file
    std::vector<std::string> datasets;  ///< names of the data sets for the command
    std::filesystem::path file_folder;  ///< folder of the assay.toml; paths in it are relative to
                                        ///< this folder
    /// Names of results by the data sets' names in the file, if they differ.
    std::map<std::string, std::string> called = {};

    /// The folder with the runs of a named data set, existing or planned; otherwise the path.
    /// Throws bad_input if neither exists.
    std::filesystem::path find(const std::string& dataset_or_path) const;
    /// For a path below `folder` that begins with a data set's name in the file, replaces this name
    /// by the name of the results. Any other path is unchanged.
    std::filesystem::path as_called(const std::filesystem::path& path) const;
};

class StoreCommand {
public:
    virtual ~StoreCommand() = default;
    /// The command's CLI11 application. Parsing it, or fill(), sets this object's options.
    virtual std::unique_ptr<CLI::App> app() = 0;
    /// Takes the inputs that no option names from `runs`. Throws usage and bad_input.
    virtual void over(const Runs& runs) = 0;
    /// Checks the options before a store is opened. Throws usage and bad_input.
    virtual void check() const = 0;
    /// Names the data sets that it makes for the following predictions. Throws usage.
    virtual std::vector<std::filesystem::path> makes() const { return {}; }
    /// Runs the command and prints its report; returns the exit status.
    virtual int run() const = 0;
};

std::unique_ptr<StoreCommand> score_command();
std::unique_ptr<StoreCommand> compare_command();
std::unique_ptr<StoreCommand> gap_command();
std::unique_ptr<StoreCommand> propose_command();
std::unique_ptr<StoreCommand> adjust_command();
std::unique_ptr<StoreCommand> patchml_step();

/// Parses the arguments, checks, runs.
int run_command(StoreCommand& command, std::vector<std::string> arguments);

/// Sets the options of `app` from a table. A key is a long option's name, an array gives an option
/// several values, and a flag takes true or false. `where` ("[score]") names the table in messages;
/// relative paths of files are relative to `folder`. The options' own checks apply. Throws
/// bad_input for an unknown key (with the nearest), and for a value of the wrong type or out of
/// range.
void fill(CLI::App& app, const nlohmann::json& table, const std::string& where,
          const std::filesystem::path& folder);

}  // namespace assay::cli
