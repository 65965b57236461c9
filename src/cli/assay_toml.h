// The contents of an assay.toml. docs/assay.toml.md describes the file.
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
        DrawFlags drawn = {};  ///< for a pattern: how to draw models
    };
    struct Data {
        DataFlags flags;
        /// Pixel settings for every model on this data set; they override the model's own.
        ModelSettings pixels = ModelSettings::object();
        /// The role of the data set in [quality].
        std::optional<quality::Role> role = {};
        /// True if only [quality] names it, by its path.
        bool for_quality = false;
    };
    std::vector<Model> models;
    std::vector<Data> data;  ///< as listed, followed by those that steps before the predictions
                             ///< make
    StoreFlags store;
    ClassifierOptions opening;
    /// A command, with its options by name in the format of fill().
    struct Step {
        std::string command;
        nlohmann::json options;
        bool makes_data;  ///< the command runs before the predictions; others read them
    };
    std::vector<Step> steps;       ///< in the order in which they run
    PluginFiles plugins;           ///< plug-ins of steps that name none
    std::filesystem::path folder;  ///< folder of the file: paths are relative to it
    /// The names of results that differ from the data set's name in the file, as for a part of its
    /// images. They are set when it is opened.
    std::map<std::string, std::string> called = {};

    /// The classes of the first data set, for models that classify by names.
    std::function<ClassList()> classes_of_data = {};

    /// The settings of [quality]; the data sets contain their roles.
    std::optional<QualitySettings> quality;

    /// Opens one of the data sets for classifiers with these classes. Throws as open_dataset() and
    /// open_role() do.
    Dataset open(const Data& listed, const ClassList& classes) const;
    /// The models with their settings for one of the data sets. Throws as resolve_model() does.
    std::vector<ModelSpec> specs_on(const Data& on) const;
    /// Replaces patterns by drawn models. Throws as drawn_models() does, with the pattern.
    void draw(bool keep);
    /// Flags on the command line override the file.
    void override_with(const CLI::App& app, const StoreFlags& flags);
    /// The complete resolved plan, which `run` prints with --dry-run and stores in RUNS/run.json.
    nlohmann::json resolved(const std::vector<ModelSpec>& specs) const;
    /// Reads the inputs of the steps after the predictions, so that a mistake in them is reported
    /// before any prediction. Throws usage and bad_input.
    void check(const std::vector<ModelSpec>& specs) const;
    /// The commands of a step with their options: one command, or one per data set. Throws usage
    /// and bad_input.
    std::vector<std::unique_ptr<StoreCommand>> commands_of(
        const Step& step, const std::vector<ModelSpec>& specs,
        const std::vector<std::string>& datasets) const;
};

/// Reads and checks the file; relative paths in it are relative to its folder. Throws usage and
/// bad_input.
Plan read_plan(const std::filesystem::path& file);

}  // namespace assay::cli
