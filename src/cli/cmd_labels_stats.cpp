// assay labels stats: counts of labels, and classes that occur together more often than by chance.
#include <CLI/CLI.hpp>

#include "assay/annotation/label_stats.h"
#include "cli/cmd_labels.h"
#include "cli/command.h"

namespace assay::cli {
namespace {

constexpr std::string_view labels_stats_examples = R"(
assay labels stats real.json
assay labels stats images/multi --pairs 30
assay labels stats runs/val --classes-table
assay labels stats labels.csv --json
)";

}  // namespace

int labels_stats(std::vector<std::string> arguments) {
    auto app = make_app(
        "labels stats",
        "Count labels per image and images per class, and find classes that occur together more "
        "often than by chance. --csv prints the classes, or with --pairs N the pairs.",
        labels_stats_examples);
    LabelStatsOptions options;
    Output output;
    app->add_option("data", options.data,
                    "Folder of images, store, or file of label sets (json, csv, txt, npy)")
        ->required()
        ->type_name("LABELS");
    app->add_option("--classes", options.classes, "Class list file, or imagenet")
        ->type_name("CLASSES");
    app->add_option("--pairs", options.pairs,
                    "Show the N pairs of classes with the strongest evidence of occurring together "
                    "(default: 10)")
        ->type_name("N");
    app->add_flag("--classes-table", options.all_classes,
                  "Show every class, not only the ten most frequent");
    app->add_option("--min-together", options.minimum_together,
                    "List only pairs that occur at least this often")
        ->type_name("N")
        ->check(above_zero())
        ->capture_default_str();
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;

    const DatasetLabelStats found = dataset_label_stats(options);
    for (const std::string& line : found.assumed) note(line);
    output.print(report_of(found));
    return Status::done;
}

}  // namespace assay::cli
