// What an assay.toml asks for. docs/assay.toml.md describes the file.
#pragma once

#include <CLI/App.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/inputs.h"
#include "cli/prediction.h"

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
    std::optional<nlohmann::json> score;  ///< flags of `assay score`, by name
    std::optional<nlohmann::json>
        compare;  ///< flags of `assay compare`, by name; "baseline" names the first model

    /// Flags that were given on the command line win over the file.
    void override_with(const CLI::App& app, const StoreFlags& flags);
    /// Everything, resolved: what `run` prints with --dry-run and stores in RUNS/run.json.
    nlohmann::json resolved(const std::vector<ModelSpec>& specs) const;
    /// Reads what the steps after the predictions will read, so that a mistake there costs no
    /// prediction. Throws usage and bad_input.
    void check(const std::vector<ModelSpec>& specs) const;
    /// The arguments after `assay score`.
    std::vector<std::string> score_arguments() const;
    /// The arguments after `assay compare`, one command per data set; none without a [compare]
    /// table. Throws bad_input: a single model, a baseline that is none of the models.
    std::vector<std::vector<std::string>> compare_arguments(
        const std::vector<ModelSpec>& specs, const std::vector<std::string>& datasets) const;
};

/// Reads and checks the file; relative paths in it are relative to its folder. Throws bad_input.
Plan read_plan(const std::filesystem::path& file);

}  // namespace assay::cli
