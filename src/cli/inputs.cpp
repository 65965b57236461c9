#include "cli/inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <exception>
#include <memory>
#include <utility>

#include "assay/data/sample.h"
#include "assay/error.h"
#include "assay/report.h"
#include "assay/store/prediction_store.h"
#include "cli/command.h"
#include "cli/described.h"
#include "cli/ranks.h"
#include "core/paths.h"
#include "core/text.h"
#include "core/url.h"
#include "data/array_dataset.h"
#include "data/dataset_name.h"
#include "data/parquet/file_names.h"
#include "model/python/python_model.h"
#include "model/python/source.h"
#include "store/dataset_files.h"
#include "store/same_data.h"

namespace assay::cli {

namespace fs = std::filesystem;
using nlohmann::json;

void ModelFlags::add_to(CLI::App& app) {
    const std::string group = "Models";
    app.add_option("-m,--model", files,
                   "TorchScript (.pt), torch.export (.pt2) or ONNX (.onnx) file; a model in "
                   "Python: timm:NAME, torchvision:NAME, hf:NAME, open_clip:ARCH/PRETRAINED, "
                   "python:FILE.py:NAME; repeatable")
        ->type_name("MODEL")
        ->group(group);
    app.add_option("--sidecar", sidecars,
                   "Settings of the model (TOML or JSON), or a folder with <model>.toml files; "
                   "default: the one next to the model")
        ->type_name("SIDECAR")
        ->group(group);
    app.add_option("--name", names,
                   "Name of each model's results, in their order (default: the file's name without "
                   "extension, or its folder's name if these are equal)")
        ->type_name("NAME")
        ->group(group);
    app.add_option("--draw-models", drawn.models,
                   "Draw N of the models of a pattern, such as --model \"timm:resnet*\", evenly "
                   "over published accuracies, or over names if none are known")
        ->type_name("N")
        ->check(above_zero())
        ->group(group);
    app.add_option("--draw-seed", drawn.seed, "Seed of the models that are drawn")
        ->check(decimal_number())
        ->capture_default_str()
        ->group(group);
    app.add_option("--published", drawn.published,
                   "csv of published results with the columns model and top1, for --draw-models: "
                   "timm's results-imagenet.csv")
        ->type_name("FILE")
        ->group(group);
    add_options(app, options, group);

    for (const SettingKey& key : setting_keys()) {
        if (key.option.empty()) continue;
        const std::string name = "--" + key.option;
        CLI::Option* option = nullptr;
        if (key.value.empty()) {
            option = app.add_flag_callback(
                name, [this, &key] { settings_[key.name] = true; }, key.summary);
        } else {
            option = app.add_option(
                name,
                [this, &key](const std::vector<std::string>& texts) {
                    const std::string text = fmt::format("{}", fmt::join(texts, ","));
                    settings_[key.name] = key.name == "classes" ? json(class_setting(text, {}))
                                                                : setting_from_text(key.name, text);
                    return true;
                },
                key.summary);
            option->type_name(key.value);
            if (key.several) option->delimiter(',')->expected(1, 3);
        }
        option->group(key.of_output ? "Kind of the model's outputs"
                                    : "Preprocessing (overrides presets and settings files)");
    }
}

ClassifierOptions opening_here(ClassifierOptions options) {
    options.process = rank_of_machine();
    options.processes = ranks_of_machine();
    return options;
}

std::string class_setting(const std::string& text, const fs::path& folder) {
    return text == "imagenet" ? text : absolute_path(folder / text).string();
}

std::vector<ModelSpec> ModelFlags::resolve() const {
    if (!names.empty() && names.size() != files.size()) {
        throw Error(ErrorCode::usage, "--name needs one name per --model, in their order; got " +
                                          std::to_string(names.size()) + " names for " +
                                          std::to_string(files.size()) + " models");
    }
    std::vector<ModelSpec> specs;
    for (std::size_t i = 0; i < files.size(); ++i) {
        ModelSettings flags = settings();
        if (!names.empty()) flags["name"] = names[i];
        specs.push_back(resolve_with_sidecar(files[i], sidecars, flags, options, classes_of_data));
    }
    check_templates(options, specs);
    name_apart(specs);
    return specs;
}

ModelSpec resolve_with_sidecar(const fs::path& model, const std::vector<fs::path>& sidecars,
                               const ModelSettings& flags, const ClassifierOptions& opening,
                               const std::function<ClassList()>& classes_of_data) {
    const fs::path called = is_python_source(model)
                                ? fs::path(as_store_name(name_in_source(model.string())))
                                : model.filename();
    fs::path found;
    for (const fs::path& sidecar : sidecars) {
        if (!is_folder(sidecar)) {
            found = sidecar;
            continue;
        }
        if (fs::path in_folder = find_sidecar(sidecar / called); !in_folder.empty())
            found = in_folder;
    }
    return resolve_model(model, flags, found,
                         {opening.offline, note, opening.templates, opening.device, classes_of_data,
                          opening.model_timeout});
}

void check_templates(const ClassifierOptions& opening, std::span<const ModelSpec> specs) {
    const bool taken = std::ranges::any_of(specs, [](const ModelSpec& spec) {
        return spec.python != nullptr && !spec.python->texts().classes.empty();
    });
    if (opening.templates.empty() || taken) return;
    throw Error(ErrorCode::usage,
                fmt::format("--templates {} only applies to models that take texts "
                            "(open_clip:ARCH/PRETRAINED), and none is given",
                            opening.templates.string()));
}

void SampleFlags::check(bool drawn) const {
    if (sample_seed == 0 || limit > 0 || drawn) return;
    throw Error(ErrorCode::usage,
                "a seed is given, but no sample is drawn: add --limit N (limit in assay.toml)");
}

void DataFlags::add_to(CLI::App& app) {
    const std::string group = "Images";
    app.add_option("-d,--data", folders,
                   "Folder of images (ImageFolder, ImageNet validation, flat), csv list, Parquet "
                   "files of Hugging Face, tars of WebDataset, or zip files of class folders; "
                   "repeatable. Archives are a file, a folder, or 'val-{000..063}.tar', also at "
                   "https:// and s3://. Data sets of torchvision are read with their own labels")
        ->type_name("DATA")
        ->group(group);
    add_options(app, *this, group);
    add_options(app, sample, group);
}

void DataFlags::skip_label_files() {
    if (folders.size() < 2) return;
    std::erase_if(folders, [&](const fs::path& file) {
        const bool skipped = is_label_file(file) && !is_folder(file);
        if (skipped) note(file.string() + " holds labels of the other files: no data set");
        return skipped;
    });
}

DatasetOptions DataFlags::options(std::size_t index, const ClassList& classes,
                                  std::vector<std::string>& notes) const {
    if (folders.size() > 1 && (!list.empty() || !name.empty())) {
        throw Error(ErrorCode::usage, "--list and --dataset-name need exactly one --data; got " +
                                          std::to_string(folders.size()));
    }
    if (const std::string range = parquet::range_of_shards(folders); !range.empty()) {
        throw Error(ErrorCode::usage,
                    "these Parquet files are parts of one data set: name them together, in "
                    "quotes: --data '" +
                        range + "'");
    }
    DatasetOptions options;
    options.layout = layout;
    options.name = name;
    if (name.empty()) {
        options.name = dataset_names_of(folders).at(index);
        if (const std::string own = dataset_name_of(folders.at(index)); options.name != own)
            notes.push_back("another folder is also named `" + own +
                            "`; the results of this one are named `" + options.name + "`");
        options.name = name_of_part(options.name, index);
    }
    options.list = list;
    options.classes = classes;
    options.limit = sample.first;
    options.image_column = image_column;
    options.label_column = label_column;
    options.split = split;
    options.index_folder = index_folder;
    return options;
}

std::string DataFlags::name_of_part(const std::string& own, std::size_t index) const {
    const std::string name_there = name_of_array(own, folders.at(index), image_column);
    return split.empty() ? name_there : name_there + "-" + split;
}

Dataset DataFlags::sampled(Dataset dataset, const DatasetOptions& opened,
                           const Reopen& reopen) const {
    if (names_parts && sample.first > 0 && dataset.size() == sample.first) {
        // The classes may depend on the number of images read. This uses the classes of the first
        // images.
        DatasetOptions with_next = opened;
        ++with_next.limit;
        if (reopen(with_next).size() > dataset.size())
            name_part(dataset, name_of_first(dataset.name, sample.first));
    }
    if (sample.limit == 0 || sample.limit >= dataset.size()) return dataset;
    Dataset part = stratified_sample(dataset, sample.limit, sample.sample_seed);
    name_part(
        part, name_of_sample(dataset.name, sample.limit, sample.sample_seed),
        fmt::format("{} of {} images, stratified by class (seed {})", count_text(sample.limit),
                    count_text(dataset.size()), sample.sample_seed));
    return part;
}

namespace {

/// True if the folder of a data set's results belongs to this part of it. Older versions did not
/// give parts their own names.
bool has_results_of(const fs::path& folder, const Dataset& part) {
    return is_there(folder / "dataset.json") &&
           store::same_items(store::read_dataset_record(folder), part);
}

}  // namespace

void DataFlags::name_part(Dataset& part, std::string own, const std::string& what) const {
    std::string text = part.name + ": " + what;
    const std::string_view behind = what.empty() ? "" : "; ";
    if (names_parts && own != part.name && !runs.empty() &&
        has_results_of(runs / part.name, part)) {
        text +=
            fmt::format("{}resumes {}, which has this part", behind, (runs / part.name).string());
    } else if (names_parts && own != part.name) {
        text += fmt::format(
            "{}the results of this sample are named `{}`{}", behind, own,
            folders.size() > 1
                ? ""
                : " (for another name, pass --dataset-name, or set `name` in assay.toml)");
        part.name = std::move(own);
    } else if (what.empty()) {
        return;
    }
    note(text);
}

/// For archives at URLs, the first rank stores the index, and the others need not read the archive.
template <class Open>
Dataset in_turn(bool remote, Open&& open) {
    if (!remote || ranks().size() == 1) return open();
    if (!is_first_rank()) {
        ranks().barrier();
        return open();
    }
    std::exception_ptr failure;
    Dataset dataset;
    try {
        dataset = open();
    } catch (...) {
        failure = std::current_exception();
    }
    ranks().barrier();
    if (failure) std::rethrow_exception(failure);
    return dataset;
}

ClassList DataFlags::own_classes() const {
    std::vector<std::string> unsaid;
    DatasetOptions how = options(0, {}, unsaid);
    how.limit = 0;  // the classes may depend on how many images are read
    const fs::path& folder = folders.front();
    const ClassList classes =
        in_turn(is_url(folder), [&] { return open_dataset(folder, how, &unsaid); }).classes;
    if (classes.empty()) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("{} has no class names, and the model needs them: give a class "
                                "list, --classes FILE",
                                folder.string()));
    }
    note(fmt::format("using the class names of {} ({}); pass --classes FILE for others",
                     folder.string(), how_many(classes.size(), "class", "classes")));
    return classes;
}

std::function<ClassList()> classes_of(const DataFlags& data) {
    return [data, kept = std::make_shared<ClassList>()] {
        if (kept->empty()) *kept = data.own_classes();
        return *kept;
    };
}

Dataset DataFlags::open(std::size_t index, const ClassList& classes) const {
    std::vector<std::string> notes;
    const DatasetOptions opened = options(index, classes, notes);
    const fs::path& folder = folders.at(index);
    Dataset dataset = in_turn(is_url(folder), [&] { return open_dataset(folder, opened, &notes); });
    say_notes(dataset, notes);
    return sampled(std::move(dataset), opened, [&](const DatasetOptions& how) {
        return in_turn(is_url(folder), [&] { return open_dataset(folder, how); });
    });
}

void require_inputs(const ModelFlags& models, const DataFlags& data, std::string_view command) {
    const auto require = [&](bool given, std::string_view option) {
        if (given) return;
        throw Error(ErrorCode::usage,
                    fmt::format("no {} given; see `assay {} --help`", option, command));
    };
    require(!models.files.empty(), "--model");
    require(!data.folders.empty(), "--data");
}

namespace {

/// The options for fields of `object` that are not defaults, except for the results' name.
template <Described S>
std::string typed_fields(const S& object) {
    const json own = json_of(object), usual = json_of(S{});
    std::string text;
    for (const Field& field : description<S>) {
        const std::string key(field.name);
        if (own[key] == usual[key] || field.option() == "dataset-name") continue;
        const json& value = own[key];
        text += fmt::format(" --{} {}", field.option(),
                            as_typed(value.is_string() ? value.get<std::string>() : value.dump()));
    }
    return text;
}

}  // namespace

std::string DataFlags::inspect_command(std::size_t index) const {
    return "assay inspect " + as_typed(folders.at(index).string()) + typed_fields(*this) +
           typed_fields(sample);
}

void say_notes(const Dataset& dataset, const std::vector<std::string>& notes) {
    for (const std::string& line : notes) note(dataset.name + ": " + line);
}

void say_image_notes(const Dataset& dataset, const std::vector<std::string>& notes,
                     const std::string& inspect_command) {
    say_notes(dataset, notes);
    if (!notes.empty())
        note(fmt::format("{}: type `{}` to see all of it", dataset.name, inspect_command));
}

}  // namespace assay::cli
