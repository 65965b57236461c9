// assay show: one image, its labels, and what each model predicts for it.
#include <CLI/CLI.hpp>

#include "assay/evaluate/show.h"
#include "cli/command.h"

namespace assay::cli {
namespace {

constexpr std::string_view show_examples = R"(
assay show n01440764/img_0001.JPEG runs/val
assay show 00041207 runs --labels real.json
assay show cat/7.png runs/val/resnet50 --top 10
assay show cat/7.png runs --json
)";

}  // namespace

int cmd_show(std::vector<std::string> arguments) {
    auto app = make_app(
        "show",
        "Show one image's labels and each model's best classes; correct ones are marked. IMAGE is "
        "an item's id, its path, or any unambiguous suffix.",
        show_examples);
    ShowOptions options;
    Output output;
    app->add_option("image", options.image, "The image")->required()->type_name("IMAGE");
    app->add_option("path", options.paths,
                    "RUNS folder, one of its data sets, or stores (default: runs)")
        ->type_name("RUNS");
    app->add_option(
           "--labels", options.labels,
           "Labels instead of the data set's own: json, csv, txt, npy; NAME=FILE: those of "
           "the data set NAME; repeatable")
        ->type_name("LABELS")
        ->allow_extra_args(false);
    app->add_option("--top", options.top, "Number of classes to show for each model")
        ->type_name("K")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;
    if (options.paths.empty()) options.paths.emplace_back("runs");

    std::vector<std::string> notes;
    const std::vector<ShownImage> images = show_image(options, notes);
    for (const std::string& text : notes) note(text);
    output.print(report_of(images));
    return Status::done;
}

}  // namespace assay::cli
