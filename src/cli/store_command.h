// A command that `assay run` can run, too, with its options as a struct: the command line fills it
// from its arguments, `assay run` from a table of assay.toml. Most read stores.
#pragma once

#include <CLI/App.hpp>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace assay::cli {

/// What `assay run` has predicted, or is about to.
struct Runs {
    std::filesystem::path folder;
    std::vector<std::string> models;    ///< in the order of the file
    std::vector<std::string> datasets;  ///< those that the command is asked about
    std::filesystem::path file_folder;  ///< of the assay.toml: paths in it are relative to it
    /// Names of `datasets` by those that the file has for them, where these are others.
    std::map<std::string, std::string> called = {};

    /// Where the runs of a data set are, or will be, by its name; else the path that was meant.
    /// Throws bad_input where there is neither.
    std::filesystem::path find(const std::string& dataset_or_path) const;
    /// A path below `folder` that begins with a data set's name in the file, with the name that the
    /// results have; any other path as it is.
    std::filesystem::path as_called(const std::filesystem::path& path) const;
};

class StoreCommand {
public:
    virtual ~StoreCommand() = default;
    /// The command's application; parsing it, or fill(), sets this object's options.
    virtual std::unique_ptr<CLI::App> app() = 0;
    /// Takes what no option named from `runs`. Throws usage and bad_input.
    virtual void over(const Runs& runs) = 0;
    /// Throws what can be known to be wrong before a store is opened: usage and bad_input.
    virtual void check() const = 0;
    /// Data sets that it makes, for the predictions that follow. Throws usage.
    virtual std::vector<std::filesystem::path> makes() const { return {}; }
    /// Does it, and prints its report; returns the exit status.
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

/// Sets the options of `app` from a table: a key is a long option's name, an array gives an option
/// several values, a flag takes true or false. `where` ("[score]") names the table in messages;
/// relative paths of files are relative to `folder`. The options' own checks hold. Throws
/// bad_input: an unknown key (with the nearest), a value of the wrong type or outside of what is
/// allowed.
void fill(CLI::App& app, const nlohmann::json& table, const std::string& where,
          const std::filesystem::path& folder);

}  // namespace assay::cli
