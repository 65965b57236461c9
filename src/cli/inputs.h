// The options that say which models and which images: shared by predict, check and run.
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

/// The options for this process among those of its machine.
ClassifierOptions opening_here(ClassifierOptions options);

/// Which of the models that a pattern stands for.
struct DrawFlags {
    std::size_t models = 0;
    std::uint64_t seed = 0;
    std::filesystem::path published;
};

/// --preset, --input-size, --mean, ...: the flag layer over presets and sidecars.
class ModelFlags {
public:
    void add_to(CLI::App& app);
    /// The flags that were given, as sidecar keys.
    const ModelSettings& settings() const { return settings_; }

    std::vector<std::filesystem::path> files;  ///< --model
    std::vector<std::filesystem::path>
        sidecars;                    ///< --sidecar: files, or folders that hold <model>.toml
    std::vector<std::string> names;  ///< --name: one for each model, or none
    DrawFlags drawn;
    ClassifierOptions options;
    /// The classes of the images, for models that classify by names.
    std::function<ClassList()> classes_of_data = {};

    /// How to open them.
    ClassifierOptions opening() const { return opening_here(options); }
    /// Puts drawn models into the place of patterns (timm:resnet*), and says which. `runs`: the
    /// folder of results, where they are listed for a later call; "": none. `keep`: a new list is
    /// written there. Throws usage: a pattern of several models without --draw-models; as
    /// names_in_python() and parse_published().
    void draw(const std::filesystem::path& runs, bool keep = true);
    /// preset < sidecar < flags, for every file.
    std::vector<ModelSpec> resolve() const;

private:
    ModelSettings settings_ = ModelSettings::object();
};

/// A part of a data set.
struct SampleFlags {
    std::size_t limit = 0;
    std::uint64_t sample_seed = 0;
    std::size_t first = 0;

    /// Throws usage: a seed of no sample. `drawn`: there is another option that draws one.
    void check(bool drawn = false) const;
};

/// --data, and how to read it.
struct DataFlags {
    void add_to(CLI::App& app);
    /// Of several data sets, such as CIFAR-10-C/*.npy, files of labels are none; said on stderr.
    void skip_label_files();
    std::vector<std::filesystem::path> folders;
    std::filesystem::path list;
    DatasetOptions::Layout layout = DatasetOptions::Layout::automatic;
    std::string name;
    std::string image_column, label_column, split;
    std::filesystem::path index_folder;  ///< of archives at URLs
    SampleFlags sample;
    /// Results of some of the images get a name of their own, so that those of all of them never
    /// meet them: of commands that store results, where the user gives no name.
    bool names_parts = false;
    /// Where they are stored: a part whose results have the data set's own name there goes on with
    /// them; "": not known.
    std::filesystem::path runs;

    /// How to open folder `index`, and what its results are called; `notes` gets why it is not the
    /// folder's own name. Throws usage: what goes with one folder, given with more.
    DatasetOptions options(std::size_t index, const ClassList& classes,
                           std::vector<std::string>& notes) const;
    /// What the results of the array and the split that are asked for are called, so that they
    /// never meet those of others. `own`: the name of folder `index`.
    std::string name_of_part(const std::string& own, std::size_t index) const;
    /// The part of it that --limit asks for, under the name that its results have. `opened` is how
    /// the data set was opened, and `reopen` opens it again: it tells whether there are more images
    /// than the first ones.
    using Reopen = std::function<Dataset(const DatasetOptions& how)>;
    Dataset sampled(Dataset dataset, const DatasetOptions& opened, const Reopen& reopen) const;
    /// What the name of a part is to be, where parts have names; said on stderr, after `what`.
    void name_part(Dataset& part, std::string name, const std::string& what = {}) const;
    /// The first data set's own classes, by its folders or columns; said on stderr. Throws as
    /// open_dataset(), and bad_input: it has none.
    ClassList own_classes() const;
    /// Opens folder `index` for classifiers with these classes; what was assumed is said on stderr.
    Dataset open(std::size_t index, const ClassList& classes) const;
    /// "assay inspect photos --list labels.csv": of folder `index`, read in the same way.
    std::string inspect_command(std::size_t index) const;
};
/// Gives the first data set's own classes: it is opened, once, only if a model asks for them.
std::function<ClassList()> classes_of(const DataFlags& data);

/// Throws usage: no --model, or no --data. `command` is the one whose help tells more.
void require_inputs(const ModelFlags& models, const DataFlags& data, std::string_view command);

/// What was assumed when the data set was opened, on stderr.
void say_notes(const Dataset& dataset, const std::vector<std::string>& notes);
/// PredictResult::image_notes, and the command that shows more; nothing where there are none.
void say_image_notes(const Dataset& dataset, const std::vector<std::string>& notes,
                     const std::string& inspect_command);

/// The setting "classes" as a sidecar takes it: "imagenet", or an absolute path (a relative one is
/// relative to `folder`).
std::string class_setting(const std::string& text, const std::filesystem::path& folder);

/// resolve_model with a sidecar that stands elsewhere than beside the model. What a model in Python
/// says while it loads is said on stderr.
ModelSpec resolve_with_sidecar(const std::filesystem::path& model,
                               const std::vector<std::filesystem::path>& sidecars,
                               const ModelSettings& flags, const ClassifierOptions& opening,
                               const std::function<ClassList()>& classes_of_data = {});
/// Throws usage: --templates, and no model takes texts.
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
