// What an assay.toml asks for. docs/assay.toml.md describes the file.
#pragma once

#include <CLI/App.hpp>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "assay/plugin_files.h"
#include "assay/quality/role.h"
#include "cli/inputs.h"
#include "cli/prediction.h"
#include "cli/quality_settings.h"
#include "cli/store_command.h"

namespace assay::cli {

struct Plan {
    struct Model {
        std::filesystem::path path;
        std::vector<std::filesystem::path> sidecars;
        ModelSettings settings;
        DrawFlags drawn = {};  ///< of a pattern
    };
    struct Data {
        DataFlags flags;
        /// Settings of the pixels that every model has on this data set, over its own.
        ModelSettings pixels = ModelSettings::object();
        /// Of [quality]: what it is there for.
        std::optional<quality::Role> role = {};
        /// Only [quality] names it, by its path.
        bool for_quality = false;
    };
    std::vector<Model> models;
    std::vector<Data> data;  ///< as listed, then what the steps before the predictions make
    StoreFlags store;
    ClassifierOptions opening;
    /// A command: its options by name, as fill() takes them.
    struct Step {
        std::string command;
        nlohmann::json options;
        bool makes_data;  ///< runs before the predictions; the others read them
    };
    std::vector<Step> steps;       ///< in the order in which they run
    PluginFiles plugins;           ///< of steps that name none
    std::filesystem::path folder;  ///< of the file: relative paths are relative to it
    /// What the results of a data set are called, by its name in the file, where that is another:
    /// of some of its images. Once it has been opened.
    std::map<std::string, std::string> called = {};

    /// The first data set's own, for models that classify by names.
    std::function<ClassList()> classes_of_data = {};

    /// What [quality] asks for; which data sets play its roles stands with them.
    std::optional<QualitySettings> quality;

    /// Opens one of the data sets for classifiers with these classes. Throws as open_dataset() and
    /// open_role().
    Dataset open(const Data& listed, const ClassList& classes) const;
    /// What the models are on one of the data sets. Throws as resolve_model.
    std::vector<ModelSpec> specs_on(const Data& on) const;
    /// Puts drawn models into the place of patterns. Throws as drawn_models(), with the pattern.
    void draw(bool keep);
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

/// Reads and checks the file; relative paths in it are relative to its folder. Throws usage and
/// bad_input.
Plan read_plan(const std::filesystem::path& file);

}  // namespace assay::cli
