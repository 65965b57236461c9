// assay relabel: what the classes of finished stores are called.
#include "cli/cmd_relabel.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/store/relabel.h"
#include "cli/command.h"

namespace assay::cli {
namespace {

constexpr std::string_view relabel_examples = R"(
assay relabel runs/val --classes classes.txt
assay relabel runs --classes imagenet
assay relabel runs/val/resnet50 runs/val-v2/resnet50 --classes config.json
)";

}  // namespace

int cmd_relabel(std::vector<std::string> arguments) {
    auto app = make_app(
        "relabel",
        "Set or correct the class list of stored predictions. Scores and labels are numbers of "
        "classes and stay as they are. The list belongs to the data set: all its models get it. "
        "Other labels are given to `assay score`.",
        relabel_examples);
    std::vector<std::filesystem::path> paths;
    std::string classes;
    app->add_option("stores", paths, "Stores, data sets in a RUNS folder, or RUNS folders")
        ->required()
        ->type_name("RUNS");
    app->add_option("--classes", classes,
                    "Class list in the order of the scores, as many as there are scores: a text, "
                    "csv or JSON file, or imagenet")
        ->required()
        ->type_name("CLASSES");
    Output output;
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;

    output.print(report_of(relabel_stores(
        paths, classes == "imagenet" ? imagenet_classes() : read_class_list(classes))));
    return Status::done;
}

}  // namespace assay::cli
