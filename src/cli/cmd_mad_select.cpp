// assay mad select: the images on which two classifiers disagree most.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "assay/collective/comm.h"
#include "assay/mad/selection_round.h"
#include "cli/cmd_mad.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/ranks.h"

namespace assay::cli {
namespace {

constexpr std::string_view mad_select_examples = R"(
assay mad select mad
assay mad select mad --control 300
assay mad select mad --exclude drawings.csv --reason "no photographs"
assay mad select mad -k 50
assay mad select mad --images /data/crawl --json -o selection.json
)";

}  // namespace

int mad_select(std::vector<std::string> arguments) {
    auto app =
        make_app("mad select",
                 "Select what is missing: for each pair of classifiers the images on which they "
                 "disagree most. Images that people cannot judge, or that are excluded, are "
                 "replaced. Selected images stay; repeat the command after every step.",
                 mad_select_examples);
    std::filesystem::path folder;
    mad::SelectOptions options;
    Output output;
    app->add_option("competition", folder, "Folder of the competition")
        ->required()
        ->type_name("COMPETITION");
    app->add_option("-k", options.k,
                    "New number of images for each pair of classifiers; it cannot be reduced")
        ->check(above_zero())
        ->type_name("N");
    app->add_option("--exclude", options.exclude,
                    "csv with columns image (id) and perhaps reason: images to exclude")
        ->type_name("CSV");
    app->add_option("--control", options.control,
                    "Also draw a random sample of N images, half of them images on which all "
                    "agree, to estimate accuracy on all images. A larger N later adds to it")
        ->type_name("N");
    app->add_option("--images", options.images, "New folder of the images")->type_name("FOLDER");
    app->add_option("--reason", options.reason, "Reason, stored with the decision")
        ->type_name("TEXT");
    app->add_option("-j,--threads", options.threads, "Threads (default: one per core)")
        ->type_name("N")
        ->check(not_below_zero());
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;

    mad::Competition competition = mad::Competition::open(
        folder, is_first_rank() ? mad::Competition::Access::write : mad::Competition::Access::read);
    ProgressLine line("mad select", "images");
    const mad::SelectionRound round = mad::select_images(competition, options, ranks(), line);
    line.finish();
    output.print(report_of(round));
    return Status::done;
}

}  // namespace assay::cli
