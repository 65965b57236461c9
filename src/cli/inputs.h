// The options that select models and images, which predict, check and run share.
#pragma once

#include <CLI/App.hpp>
#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/data/dataset.h"
#include "assay/describe.h"
#include "assay/model/classifier.h"
#include "assay/model/model_spec.h"
#include "assay/store/prediction_store.h"

namespace assay::cli {

/// Adjusts the options for this process among the processes of its machine.
ClassifierOptions opening_here(ClassifierOptions options);

/// Settings for draws of models for a pattern.
struct DrawFlags {
    std::size_t models = 0;
    std::uint64_t seed = 0;
    std::filesystem::path published;
};

/// Flags such as --preset, --input-size and --mean, which override presets and sidecars.
class ModelFlags {
public:
    void add_to(CLI::App& app);
    /// The flags that were given, keyed like a sidecar.
    const ModelSettings& settings() const { return settings_; }

    std::vector<std::filesystem::path> files;  ///< --model
    std::vector<std::filesystem::path>
        sidecars;                    ///< --sidecar: files, or folders that contain <model>.toml
    std::vector<std::string> names;  ///< --name: one per model, or none
    DrawFlags drawn;
    ClassifierOptions options;
    /// The classes of the images, for models that classify by names.
    std::function<ClassList()> classes_of_data = {};

    /// Options for opening the models.
    ClassifierOptions opening() const { return opening_here(options); }
    /// Replaces patterns (timm:resnet*) by drawn models, and prints them. `runs` is the folder of
    /// results, which contains the list for a later call, or "". With `keep`, a new list is written
    /// there. Throws usage for a pattern with several models without --draw-models, and as
    /// names_in_python() and parse_published() do.
    void draw(const std::filesystem::path& runs, bool keep = true);
    /// Resolves the settings of every file: flags override sidecars, which override presets.
    std::vector<ModelSpec> resolve() const;

private:
    ModelSettings settings_ = ModelSettings::object();
};

/// A part of a data set: the first images or a sample.
struct SampleFlags {
    std::size_t limit = 0;
    std::uint64_t sample_seed = 0;
    std::size_t first = 0;

    /// Throws usage if a seed is given but no sample. `drawn` means that another option draws one.
    void check(bool drawn = false) const;
};

/// Adds --data with its options.
struct DataFlags {
    void add_to(CLI::App& app);
    /// Removes files of labels from several data sets, such as CIFAR-10-C/*.npy, and reports this
    /// on stderr.
    void skip_label_files();
    std::vector<std::filesystem::path> folders;
    std::filesystem::path list;
    DatasetOptions::Layout layout = DatasetOptions::Layout::automatic;
    std::string name;
    std::string image_column, label_column, split;
    std::filesystem::path index_folder;  ///< for archives at URLs
    SampleFlags sample;
    /// Results for a part of the images get their own name, so that they are never mixed with those
    /// for all images. This is for commands that store results, if the user gives no name.
    bool names_parts = false;
    /// Folder of the results; "" if not known. If it has results of a part under the data set's own
    /// name, they are resumed under that name.
    std::filesystem::path runs;

    /// Options for folder `index`, and the name of its results; `notes` receives the reason if it
    /// is not the folder's own name. Throws usage for options for one folder with several folders.
    DatasetOptions options(std::size_t index, const ClassList& classes,
                           std::vector<std::string>& notes) const;
    /// The name of the results for the requested array and split, which keeps them separate from
    /// others. `own` is the name of folder `index`.
    std::string name_of_part(const std::string& own, std::size_t index) const;
    /// The part that --limit requests, with the name of its results. `opened` says how the data set
    /// was opened, and `reopen` opens it again, which shows whether there are more images than the
    /// first ones.
    using Reopen = std::function<Dataset(const DatasetOptions& how)>;
    Dataset sampled(Dataset dataset, const DatasetOptions& opened, const Reopen& reopen) const;
    /// Sets the name of a part, if parts have names, and reports it on stderr after `what`.
    void name_part(Dataset& part, std::string name, const std::string& what = {}) const;
    /// The first data set's own classes, from its folders or columns, reported on stderr. Throws as
    /// open_dataset() does, and bad_input if it has none.
    ClassList own_classes() const;
    /// Opens folder `index` for classifiers with these classes; assumptions are reported on stderr.
    Dataset open(std::size_t index, const ClassList& classes) const;
    /// The command that reads folder `index` in the same way: "assay inspect photos --list
    /// labels.csv".
    std::string inspect_command(std::size_t index) const;
};
/// Returns the first data set's own classes: it is opened once, and only if a model needs them.
std::function<ClassList()> classes_of(const DataFlags& data);

/// Throws usage if --model or --data is missing. `command` is the one whose help gives more
/// details.
void require_inputs(const ModelFlags& models, const DataFlags& data, std::string_view command);

/// Prints the assumptions from opening the data set on stderr.
void say_notes(const Dataset& dataset, const std::vector<std::string>& notes);
/// Prints PredictResult::image_notes, and the command that shows more; nothing if there are none.
void say_image_notes(const Dataset& dataset, const std::vector<std::string>& notes,
                     const std::string& inspect_command);

/// The setting "classes" in the format of a sidecar: "imagenet", or an absolute path (a relative
/// one is relative to `folder`).
std::string class_setting(const std::string& text, const std::filesystem::path& folder);

/// resolve_model() with a sidecar that is not next to the model. Output of a model in Python during
/// loading goes to stderr.
ModelSpec resolve_with_sidecar(const std::filesystem::path& model,
                               const std::vector<std::filesystem::path>& sidecars,
                               const ModelSettings& flags, const ClassifierOptions& opening,
                               const std::function<ClassList()>& classes_of_data = {});
/// Throws usage if --templates is given and no model accepts texts.
void check_templates(const ClassifierOptions& opening, std::span<const ModelSpec> specs);

}  // namespace assay::cli

namespace assay {

constexpr auto words_of(DatasetOptions::Layout) {
    using Layout = DatasetOptions::Layout;
    using Row = std::pair<Layout, std::string_view>;
    return std::array{Row{Layout::automatic, "auto"}, Row{Layout::image_folder, "folders"},
                      Row{Layout::flat, "flat"}};
}

template <>
inline constexpr auto description<cli::SampleFlags> = describe<cli::SampleFlags>({
    field<&cli::SampleFlags::limit>(
        {.help = "Use N images only: a sample with each class in its proportion",
         .empty = "all",
         .excludes = "first"}),
    field<&cli::SampleFlags::sample_seed>({.help = "Which sample"}),
    field<&cli::SampleFlags::first>({.help = "Use the first N images only", .empty = "all"}),
});

template <>
inline constexpr auto description<cli::DataFlags> = describe<cli::DataFlags>({
    field<&cli::DataFlags::list>(
        {.help = "Labels of a flat folder: csv with path and label columns, or ImageNet's val "
                 "list. For images in an .npy file: an .npy file of labels"}),
    field<&cli::DataFlags::layout>(
        {.help = "folders: one folder per class; flat: no classes in the folders"}),
    field<&cli::DataFlags::image_column>(
        {.help =
             "Column with the images, of Parquet files and lists of labels; array of .npz files",
         .empty = "by its name",
         .value = "NAME"}),
    field<&cli::DataFlags::label_column>({.help = "Where labels are: column of Parquet files or "
                                                  "lists, array of .npz files (none: no labels), "
                                                  "or suffix or .json field of tars",
                                          .empty = "by its name; in tars cls, or the field label",
                                          .value = "NAME"}),
    field<&cli::DataFlags::split>(
        {.help = "Which split of a data set of torchvision, of split folders or of Parquet files",
         .empty = "test, else val",
         .value = "NAME"}),
    field<&cli::DataFlags::name>({.help = "Name of the data set's results",
                                  .empty = "the folder's",
                                  .value = "NAME",
                                  .option = "dataset-name"}),
});

}  // namespace assay
