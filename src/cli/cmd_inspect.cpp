// assay inspect: the contents of a data set, before any number is computed.
#include "cli/cmd_inspect.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/error.h"
#include "assay/evaluate/inspect.h"
#include "assay/store/prediction_store.h"
#include "cli/command.h"
#include "cli/described.h"
#include "cli/inputs.h"
#include "cli/progress.h"
#include "core/paths.h"
#include "core/text.h"
#include "store/parts.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view inspect_examples = R"(
assay inspect imagenet/val
assay inspect photographs --list labels.csv --json
assay inspect test --against train
assay inspect 'val-{000..063}.tar' --limit 5000
assay inspect photographs --classes classes.txt
assay inspect pets --split test --against pets --against-split trainval
assay inspect test --against train --examples 100000 --csv -o findings.csv
assay inspect runs/val/resnet50
)";

std::string import_command(const fs::path& file) {
    return fmt::format(
        "type `assay import {0} --dataset-name NAME --out runs` and then `assay "
        "inspect runs/NAME/{1}`",
        as_typed(file.string()), as_typed(file.stem().string()));
}

/// Throws usage for a file that only contains arrays of scores.
void refuse_predictions(const fs::path& file) {
    if (lower_extension(file.string()) != ".safetensors") return;
    throw Error(ErrorCode::usage,
                fmt::format("{} looks like saved predictions, but this command reads images and "
                            "stores: {}",
                            file.string(), import_command(file)));
}

/// Throws usage if no image has a label, so that a class list cannot act.
void require_labels(const Dataset& dataset, const std::string& classes, const fs::path& folder) {
    for (std::size_t i = 0; i < dataset.labels.size(); ++i)
        if (!dataset.labels[i].empty()) return;
    throw Error(ErrorCode::usage,
                fmt::format("--classes {} names the classes of labels, and no image of {} has one: "
                            "add labels with --list FILE, or type `assay inspect {}`",
                            classes, folder.string(), as_typed(folder.string())));
}

OpenedDataset open_to_inspect(const DataFlags& data, const std::string& classes) {
    OpenedDataset out;
    const ClassList given = classes.empty()         ? ClassList()
                            : classes == "imagenet" ? imagenet_classes()
                                                    : read_class_list(classes);
    const DatasetOptions how = data.options(0, given, out.notes);
    const fs::path& folder = data.folders.front();
    const auto open = [&] {
        return data.sampled(open_dataset(folder, how, &out.notes), how,
                            [&](const DatasetOptions& all) { return open_dataset(folder, all); });
    };
    // Tables and arrays may contain images or saved predictions.
    out.dataset = is_folder(folder) || !is_there(folder)
                      ? open()
                      : with_note(fmt::format("reading {} for images (for saved predictions, {})",
                                              folder.string(), import_command(folder)),
                                  open);
    if (!classes.empty()) require_labels(out.dataset, classes, folder);
    return out;
}

/// The options that describe images. Throws usage if one is given with a store, where it cannot
/// act.
void refuse_options_of_images(const CLI::App& app, const fs::path& store) {
    const std::vector<std::string> others = {"--against", "--against-split", "--near"};
    for (const CLI::Option* option : app.get_options()) {
        const std::string name = option->get_name();
        const bool of_images = option->get_group() == "Images" && name != "--data";
        if (option->count() == 0 || (!of_images && std::ranges::find(others, name) == others.end()))
            continue;
        if (name == "--classes") {
            throw Error(ErrorCode::usage,
                        fmt::format("--classes is for images, and {0} has its own class list: to "
                                    "set another, type `assay relabel {1} --classes {2}`",
                                    store.string(), as_typed(store.string()),
                                    as_typed(option->as<std::string>())));
        }
        throw Error(ErrorCode::usage,
                    fmt::format("{} is for images, and {} holds predictions: type `assay inspect "
                                "{}`",
                                name, store.string(), as_typed(store.string())));
    }
}

}  // namespace

int cmd_inspect(std::vector<std::string> arguments) {
    auto app = make_app(
        "inspect",
        "Check a data set before running a model: how it is read, formats, sizes, labels and "
        "classes, unreadable and unusual images, duplicates. For a prediction store: the order of "
        "classes "
        "that its scores fit. Exit status 3: numbers would be incorrect. An image is unreadable, "
        "copies of a file have different labels, an image is also in --against, or the order of "
        "the classes is incorrect.",
        inspect_examples);
    DataFlags data;
    fs::path path;
    fs::path against;
    std::string classes;
    DatasetOptions against_how;
    InspectOptions options;
    Output output;
    app->add_option("data", path,
                    "The images, as for --data of assay predict, or a prediction store")
        ->type_name("DATA");
    data.add_to(*app);
    app->add_option("--classes", classes,
                    "Class list in the order of your classifier's outputs, in which labels are "
                    "looked up: a text, csv or JSON file, or imagenet")
        ->type_name("CLASSES")
        ->group("Images");
    auto* const other_data =
        app->add_option(
               "--against", against,
               "Another data set, such as the training images, to find images that are in both")
            ->type_name("DATA");
    app->add_option("--against-split", against_how.split,
                    "Split of --against, as for --split (default: test, else val)")
        ->type_name("NAME")
        ->needs(other_data);
    add_options(*app, options);
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;

    if (!path.empty()) data.folders.insert(data.folders.begin(), path);
    if (data.folders.size() != 1) {
        throw Error(ErrorCode::usage, data.folders.empty()
                                          ? "no images given: type `assay inspect IMAGES`"
                                          : "assay inspect takes one data set; --against takes a "
                                            "second one");
    }
    if (const fs::path& store = data.folders.front(); store::is_store_folder(store)) {
        refuse_options_of_images(*app, store);
        const InspectResult result =
            inspect_predictions(PredictionStore::open(store), options.examples);
        output.print(report_of(result));
        return has_faults(result) ? Status::partial : Status::done;
    }
    data.sample.check();
    if (app->get_option("--classes")->count() > 0 && classes.empty())
        throw Error(ErrorCode::usage,
                    "--classes is empty; allowed: a class list, or imagenet: assay inspect IMAGES "
                    "--classes classes.txt");
    refuse_predictions(data.folders.front());
    const OpenedDataset images = open_to_inspect(data, classes);
    OpenedDataset other;
    if (!against.empty()) other.dataset = open_dataset(against, against_how, &other.notes);
    ProgressLine progress("inspect", "images");
    const InspectResult result =
        inspect_data(images, against.empty() ? nullptr : &other, options, progress);
    progress.finish();
    output.print(report_of(result));
    return has_faults(result) ? Status::partial : Status::done;
}

}  // namespace assay::cli
