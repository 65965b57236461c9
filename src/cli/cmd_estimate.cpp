// assay estimate: accuracy on unlabelled images from few labels.
#include <CLI/CLI.hpp>
#include <filesystem>

#include "assay/few_labels/drift.h"
#include "assay/few_labels/estimate.h"
#include "assay/mad/settled.h"
#include "cli/command.h"
#include "cli/described.h"
#include "cli/progress.h"

namespace assay::cli {
namespace {

constexpr std::string_view estimate_select_examples = R"(
assay estimate select study runs/pool --draw 200
assay estimate select study --draw 400
assay estimate select gate runs/pool/v1 runs/pool/v2 --draw 200 --for differences
assay estimate select study runs/pool --draw 200 --competition mad
)";

int estimate_select(std::vector<std::string> arguments) {
    auto app = make_app("estimate select",
                        "Draw the images to label: a random sample with more of the images on "
                        "which the classifiers are unsure or disagree. Writes the questions for "
                        "annotators. With a larger --draw later it adds images and keeps the "
                        "others.",
                        estimate_select_examples);
    std::filesystem::path study, competition;
    few_labels::DrawOptions options;
    Output output;
    app->add_option("study", study, "Folder of the study; made by the first call")
        ->required()
        ->type_name("STUDY");
    app->add_option("stores", options.stores,
                    "Predictions for the same unlabelled images: a RUNS folder, a data set in it, "
                    "or stores. Needed the first time only")
        ->type_name("RUNS");
    add_options(*app, options);
    app->get_option("--draw")->required();
    app->add_option("--competition", competition,
                    "MAD competition on the same images. Images that its answers settle count "
                    "without being drawn, and no settled question is asked again. Only "
                    "when a study begins")
        ->type_name("COMPETITION");
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;
    if (!competition.empty()) {
        options.known_source = competition.string();
        for (mad::SettledQuestion& one : mad::settled_questions(competition))
            options.known.push_back({std::move(one.image), std::move(one.label),
                                     one.unclear ? few_labels::KnownOutcome::unclear
                                     : one.yes   ? few_labels::KnownOutcome::yes
                                                 : few_labels::KnownOutcome::no});
    }

    ProgressLine line("estimate select", "images");
    const few_labels::DrawnSample sample = few_labels::draw_sample(study, options, line);
    line.finish();
    output.print(report_of(sample));
    return Status::done;
}

constexpr std::string_view estimate_add_examples = R"(
assay estimate add study runs/pool/new
)";

int estimate_add(std::vector<std::string> arguments) {
    auto app =
        make_app("estimate add",
                 "Add classifiers to a study that has begun. The labels so far count for them, "
                 "too; writes the questions about their labels that were not asked.",
                 estimate_add_examples);
    std::filesystem::path study;
    few_labels::JoinOptions options;
    Output output;
    app->add_option("study", study, "Folder of the study")->required()->type_name("STUDY");
    app->add_option("stores", options.stores,
                    "Predictions of the new classifiers for the same images")
        ->required()
        ->type_name("RUNS");
    add_options(*app, options);
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;

    ProgressLine line("estimate add", "images");
    const few_labels::DrawnSample sample = few_labels::join_study(study, options, line);
    line.finish();
    output.print(report_of(sample));
    return Status::done;
}

constexpr std::string_view estimate_show_examples = R"(
assay estimate show study --answers votes.csv
assay estimate show study --labels labels.csv --by camera
assay estimate show study --answers votes.csv --stop-at 0.03
assay estimate show gate --answers votes.csv --peek 300
)";

int estimate_show(std::vector<std::string> arguments) {
    auto app = make_app("estimate show",
                        "Show the accuracy of each classifier on all images, and the differences, "
                        "from the labels so far, with intervals. Status 3: --stop-at is not "
                        "reached yet.",
                        estimate_show_examples);
    std::filesystem::path study;
    few_labels::EstimateOptions options;
    Output output;
    app->add_option("study", study, "Folder of the study")->required()->type_name("STUDY");
    add_options(*app, options);
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;

    ProgressLine line("estimate show", "images");
    const few_labels::PoolEstimate result = few_labels::estimate_pool(study, options, line);
    line.finish();
    output.print(report_of(result));
    return options.stop_at > 0 && !result.precise_enough ? Status::partial : Status::done;
}

constexpr std::string_view estimate_drift_examples = R"(
assay estimate drift april may
assay estimate drift april may --old-labels april.csv --answers may-votes.csv --pools 12
)";

int estimate_drift_part(std::vector<std::string> arguments) {
    auto app = make_app("estimate drift",
                        "Say whether accuracy has changed from one pool of images to a new one. "
                        "Without labels of the new pool it only shows signs, such as a change of "
                        "confidence. Status 1: an alarm.",
                        estimate_drift_examples);
    std::filesystem::path before, now;
    few_labels::DriftOptions options;
    Output output;
    app->add_option("old", before, "Study of the old pool")->required()->type_name("STUDY");
    app->add_option("new", now, "Study of the new pool")->required()->type_name("STUDY");
    add_options(*app, options);
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;

    ProgressLine line("estimate drift", "images");
    const few_labels::PoolDrift result = few_labels::estimate_drift(before, now, options, line);
    line.finish();
    output.print(report_of(result));
    return result.alarm ? Status::gate_broken : Status::done;
}

const std::vector<Command>& estimate_parts() {
    static const std::vector<Command> table = {
        {"select", "Draw the images to label, and write the questions about them", estimate_select},
        {"add", "Add classifiers to a study, and write the questions that they need", estimate_add},
        {"show", "Show accuracies and differences from the labels so far, with intervals",
         estimate_show},
        {"drift", "Say whether accuracy has changed on a new pool of images", estimate_drift_part},
    };
    return table;
}

constexpr std::string_view estimate_help_examples = R"(
  assay estimate select study runs/pool --draw 200
  assay serve --questions study/questions-1.csv --task labels
  assay labels export study/questions-1-study --out votes.csv
  assay estimate show study --answers votes.csv
)";

}  // namespace

int cmd_estimate(std::vector<std::string> arguments) {
    return run_part(
        "estimate", "part", estimate_parts(),
        "Estimate the accuracy of classifiers on unlabelled images from a few labels. Draw "
        "the images to label, collect answers, and compute accuracies and differences "
        "with intervals.",
        estimate_help_examples, std::move(arguments));
}

}  // namespace assay::cli
