// What an assay.toml asks for. docs/assay.toml.md describes the file.
#pragma once

#include <CLI/App.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/inputs.h"
#include "cli/prediction.h"
#include "cli/store_command.h"

namespace assay::cli {

struct Plan {
    struct Model {
        std::filesystem::path path;
        std::vector<std::filesystem::path> sidecars;
        ModelSettings settings;
    };
    std::vector<Model> models;
    std::vector<DataFlags> data;
    StoreFlags store;
    std::string device = "auto";
    /// A command that reads the predictions: its options by name, as fill() takes them.
    struct Step {
        std::string command;
        nlohmann::json options;
    };
    std::vector<Step> steps;       ///< in the order in which they run
    std::filesystem::path folder;  ///< of the file: relative paths are relative to it

    /// Flags that were given on the command line win over the file.
    void override_with(const CLI::App& app, const StoreFlags& flags);
    /// Everything, resolved: what `run` prints with --dry-run and stores in RUNS/run.json.
    nlohmann::json resolved(const std::vector<ModelSpec>& specs) const;
    /// Reads what the steps after the predictions will read, so that a mistake there costs no
    /// prediction. Throws usage and bad_input.
    void check(const std::vector<ModelSpec>& specs) const;
    /// The commands of a step, with their options: one, or one per data set. Throws usage and
    /// bad_input.
    std::vector<std::unique_ptr<StoreCommand>> commands_of(
        const Step& step, const std::vector<ModelSpec>& specs,
        const std::vector<std::string>& datasets) const;
};

/// Reads and checks the file; relative paths in it are relative to its folder. Throws bad_input.
Plan read_plan(const std::filesystem::path& file);

}  // namespace assay::cli
