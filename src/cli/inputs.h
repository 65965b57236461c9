// The options that say which models and which images: shared by predict, check and run.
#pragma once

#include <CLI/App.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "assay/data/dataset.h"
#include "assay/model/classifier.h"
#include "assay/model/model_spec.h"
#include "assay/store/prediction_store.h"

namespace assay::cli {

/// How models are opened by what options and configurations say: as this process among those of
/// its machine. Throws usage: an unknown isolation or precision.
ClassifierOptions opening_of(const std::string& device, const std::string& isolate,
                             const std::string& precision);

/// --preset, --input-size, --mean, ...: the flag layer over presets and sidecars.
class ModelFlags {
public:
    void add_to(CLI::App& app);
    /// The flags that were given, as sidecar keys.
    ModelSettings settings() const;

    std::vector<std::filesystem::path> files;  ///< --model
    std::vector<std::filesystem::path>
        sidecars;                    ///< --sidecar: files, or folders that hold <model>.toml
    std::vector<std::string> names;  ///< --name: one for each model, or none
    std::string device = "auto";
    std::string isolate = "auto";    ///< --isolate
    std::string precision = "fp32";  ///< --precision

    /// How to open them. Throws usage on an unknown --isolate or --precision.
    ClassifierOptions opening() const;
    /// preset < sidecar < flags, for every file.
    std::vector<ModelSpec> resolve() const;

private:
    std::string preset_, interpolation_, crop_mode_, channel_order_, outputs_, output_, classes_;
    std::vector<int> input_size_;
    std::vector<double> mean_, std_;
    double crop_pct_ = 0, scale_ = 0;
    int resize_size_ = 0;
    bool train_size_ = false;
};

/// --data, --list, --layout, --image-column, --label-column, --dataset-name, --limit, --first.
class DataFlags {
public:
    void add_to(CLI::App& app);
    std::vector<std::filesystem::path> folders;
    std::filesystem::path list;
    std::string layout = "auto";
    std::string name;
    std::string image_column, label_column;  ///< of Parquet files; "": the usual ones
    std::filesystem::path index_folder;      ///< of archives at URLs
    std::size_t limit = 0;                   ///< --limit: a sample stratified by class; 0: all
    std::uint64_t seed = 0;                  ///< --sample-seed: which sample
    std::size_t first = 0;                   ///< --first: the first so many; 0: all

    /// How to open folder `index`, and what its results are called; `notes` gets why it is not the
    /// folder's own name. Throws usage: what goes with one folder, given with more.
    DatasetOptions options(std::size_t index, const ClassList& classes,
                           std::vector<std::string>& notes) const;
    /// The part of it that --limit asks for.
    Dataset sampled(Dataset dataset, bool quiet) const;
    /// Opens folder `index` for classifiers with these classes; what was assumed is said on stderr
    /// unless quiet.
    Dataset open(std::size_t index, const ClassList& classes, bool quiet) const;
};
/// Throws usage: no --model, or no --data. `command` is the one whose help tells more.
void require_inputs(const ModelFlags& models, const DataFlags& data, std::string_view command);

/// --limit, --sample-seed, --first: a part of a data set. `group`: of the help.
void add_sample_options(CLI::App& app, std::size_t& limit, std::uint64_t& seed, std::size_t& first,
                        const std::string& group);
/// What was assumed when the data set was opened, on stderr unless quiet.
void say_notes(const Dataset& dataset, const std::vector<std::string>& notes, bool quiet);

/// The setting "classes" as a sidecar takes it: "imagenet", or an absolute path (a relative one is
/// relative to `folder`).
std::string class_setting(const std::string& text, const std::filesystem::path& folder);

/// resolve_model with a sidecar that stands elsewhere than beside the model.
ModelSpec resolve_with_sidecar(const std::filesystem::path& model,
                               const std::vector<std::filesystem::path>& sidecars,
                               const ModelSettings& flags);

}  // namespace assay::cli
