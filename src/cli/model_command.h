// The frame of commands that run models over images and report on them: attack and certify.
#pragma once

#include <CLI/App.hpp>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/evaluate/predict.h"
#include "cli/command.h"
#include "cli/inputs.h"
#include "cli/prediction.h"
#include "cli/progress.h"

namespace assay::cli {

class ModelCommand {
public:
    /// `verb` is the name of the command; `unit` is what its progress counts.
    ModelCommand(std::string_view verb, std::string_view unit) : verb_(verb), unit_(unit) {}

    ModelFlags models;
    DataFlags data;
    StoreFlags store;
    Output output;

    /// Adds the options of models and images, then those of `add_own`, then those of the results.
    void add_to(CLI::App& app, const std::function<void()>& add_own);
    /// Throws usage for missing models or images. Call it after parse().
    void check() const;
    /// The models, with their preprocessing on stderr. None with --dry-run, whose plan is printed.
    std::vector<LoadedModel> load();
    /// Tries the models on each data set, and calls `run` for it with progress.
    void over_each(const CLI::App& app, const std::vector<LoadedModel>& loaded,
                   const std::function<void(const Dataset&, ProgressLine&)>& run);
    /// Prints the report, and returns the status.
    int print(const Report& report) const;

private:
    std::string verb_, unit_;
    std::size_t input_options_ = 0;
};

}  // namespace assay::cli
