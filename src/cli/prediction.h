// Runs one or many models over one or many data sets, with progress and a table at the end; predict
// and run share it.
#pragma once

#include <CLI/App.hpp>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assay/evaluate/predict.h"
#include "assay/evaluate/predict_corrupted.h"
#include "assay/evaluate/until.h"
#include "cli/command.h"
#include "cli/typed_options.h"

namespace assay::cli {

/// The options of predict() with --dry-run.
struct StoreFlags {
    PredictOptions options;
    bool dry_run = false;

    void add_to(CLI::App& app);
};

/// The command as it was typed, for messages of a trial about its models.
struct TypedPrediction {
    std::string verb;                 ///< "predict"
    std::vector<std::string> models;  ///< --model
    std::string data;                 ///< the current --data
    std::vector<TypedOption> options;
    std::string inspect = {};  ///< DataFlags::inspect_command(); "" means that the folder of the
                               ///< images is used
};
/// Tries the models on a few images and prints warnings; each line ends in a command. `stored_as`
/// is as in try_models().
void try_and_warn(std::span<const LoadedModel> models, const Dataset& dataset,
                  const PredictOptions& options, Comm& comm, const TypedPrediction& typed,
                  std::span<const std::string> stored_as = {});

class Prediction {
public:
    /// `opening` has the options for opening the models.
    Prediction(PredictOptions options, ClassifierOptions opening)
        : options_(std::move(options)), opening_(std::move(opening)) {}

    /// Sets what was typed about the following data sets.
    void typed(TypedPrediction typed) { typed_ = std::move(typed); }
    /// Opens the models and prints their preprocessing on stderr.
    void load(const std::vector<ModelSpec>& specs);
    /// The models' class list.
    const ClassList& classes() const;
    const std::vector<LoadedModel>& models() const { return models_; }
    /// The sample that is large enough for `until`, chosen by a pilot and reported on stderr.
    Dataset enough(const Dataset& dataset, const Until& until, std::uint64_t seed) const;
    /// Runs the models; call it several times for several data sets.
    void over(const Dataset& dataset);
    /// The same with other preprocessing for this data set only: `specs` are otherwise those of
    /// load(), in the same order.
    void over(const Dataset& dataset, const std::vector<ModelSpec>& specs);
    /// Runs the models on corrupted versions of the images; the models are those from load(), with
    /// the preprocessing for corrupted images.
    void over(const Dataset& dataset, const CorruptedVersions& versions);
    /// The report on the runs.
    void print(const Output& output) const;
    /// done, or partial if an image could not be read or a score is not finite.
    int status() const;
    /// Names of the data sets so far, in order.
    const std::vector<std::string>& datasets() const { return datasets_; }

private:
    void predict_over(const Dataset& dataset, const std::vector<LoadedModel>& models);

    PredictOptions options_;
    ClassifierOptions opening_;
    /// Times `run`, and stores its results.
    template <class Run>
    void keep(const Dataset& dataset, const std::string& unit, Run&& run);

    TypedPrediction typed_;
    std::vector<LoadedModel> models_;
    std::vector<PredictResult> results_;
    std::vector<std::string> datasets_;
    std::string clean_;  ///< the data set whose corrupted versions were run last
    double seconds_ = 0;
};

}  // namespace assay::cli
