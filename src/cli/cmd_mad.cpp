// assay mad: competitions of classifiers on the images on which they disagree most; its parts, and
// those that change the participants.
#include "cli/cmd_mad.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "assay/mad/competition.h"
#include "cli/command.h"
#include "cli/progress.h"

namespace assay::cli {
namespace {

constexpr std::string_view mad_add_examples = R"(
assay mad add mad runs/crawl/convnext --reason "the release candidate"
assay mad select mad
assay mad add mad resnet18 --reason "removed by mistake"
)";

int mad_add(std::vector<std::string> arguments) {
    auto app = make_app("mad add",
                        "Add classifiers to a competition, from their stored predictions for its "
                        "images. Selected images, questions and answers do not change; `assay mad "
                        "select` then only selects for the new pairs.",
                        mad_add_examples);
    std::filesystem::path folder;
    std::vector<std::string> stores;
    std::string reason;
    int threads = 0;
    Output output;
    app->add_option("competition", folder, "Folder of the competition")
        ->required()
        ->type_name("COMPETITION");
    app->add_option("stores", stores,
                    "Stores, folders of them, or the names of classifiers that were removed")
        ->required()
        ->type_name("RUNS");
    app->add_option("--reason", reason, "Reason, stored with the decision")->type_name("TEXT");
    app->add_option("-j,--threads", threads, "Threads (default: one per core)")
        ->type_name("N")
        ->check(not_below_zero());
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;

    mad::Competition competition = mad::Competition::open(folder, mad::Competition::Access::write);
    ProgressLine line("mad add", "images");
    const std::vector<std::string> added = competition.add(stores, reason, threads, line);
    line.finish();
    if (added.empty()) {
        note("all of these classifiers are already in the competition");
    } else {
        note(fmt::format("added: {}; next: assay mad select {}", fmt::join(added, ", "),
                         as_typed(folder.string())));
    }
    output.print(report_of(competition));
    return Status::done;
}

constexpr std::string_view mad_remove_examples = R"(
assay mad remove mad resnet18 --reason "superseded"
)";

int mad_remove(std::vector<std::string> arguments) {
    auto app = make_app("mad remove",
                        "Exclude a classifier from all results. Nothing is deleted: `assay mad "
                        "add` with its name includes it again.",
                        mad_remove_examples);
    std::filesystem::path folder;
    std::string name, reason;
    Output output;
    app->add_option("competition", folder, "Folder of the competition")
        ->required()
        ->type_name("COMPETITION");
    app->add_option("classifier", name, "Its name")->required()->type_name("CLASSIFIER");
    app->add_option("--reason", reason, "Reason, stored with the decision")->type_name("TEXT");
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;

    mad::Competition competition = mad::Competition::open(folder, mad::Competition::Access::write);
    if (!competition.remove(name, reason)) note(fmt::format("`{}` was removed before", name));
    output.print(report_of(competition));
    return Status::done;
}

const std::vector<Command>& mad_parts() {
    static const std::vector<Command> table = {
        {"init", "Start a competition of classifiers on unlabelled images", mad_init},
        {"select", "Select the images on which each pair of classifiers disagrees most",
         mad_select},
        {"questions", "List the questions about the selected images", mad_questions},
        {"answers", "Import people's answers", mad_answers},
        {"block", "Exclude an annotator from all results", mad_block},
        {"rank", "Rank the classifiers by people's answers, with intervals", mad_rank},
        {"status", "Show the state, what is open, and the next command", mad_status},
        {"gallery", "Draw the selected images on contact sheets, with predictions and answers",
         mad_gallery},
        {"add", "Add classifiers; everything else stays unchanged", mad_add},
        {"remove", "Exclude a classifier from all results", mad_remove},
        {"distance", "Show the distance of two classes, and its way through the hierarchy",
         mad_distance},
        {"export", "Export everything as tables, and for Label Studio", mad_export},
    };
    return table;
}

constexpr std::string_view mad_help_examples = R"(
  assay mad init mad runs/crawl
  assay mad select mad
  assay mad questions mad --out questions.csv
  assay mad answers mad anna.csv ben.csv
  assay mad rank mad --against accuracies.csv
  assay mad gallery mad --out sheets
  assay mad status mad
)";

}  // namespace

int cmd_mad(std::vector<std::string> arguments) {
    return run_part("mad", "part", mad_parts(),
                    "Rank classifiers on unlabelled images: select the few on which they disagree "
                    "most, collect people's answers, and compute a ranking with intervals.",
                    mad_help_examples, std::move(arguments));
}

}  // namespace assay::cli
