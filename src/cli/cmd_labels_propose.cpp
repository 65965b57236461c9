// assay labels propose: which labels to ask annotators about.
#include <CLI/CLI.hpp>
#include <filesystem>

#include "assay/annotation/propose.h"
#include "assay/error.h"
#include "cli/cmd_labels.h"
#include "cli/command.h"
#include "cli/outputs.h"
#include "cli/progress.h"

namespace assay::cli {
namespace {

constexpr std::string_view examples = R"(
assay labels propose runs/val -o questions.csv
assay labels propose runs/val --recall 0.97 --gold experts.csv --skip-agreed -o questions.csv
assay labels propose runs/val/a runs/val/b --rule rank --all-models --json
)";

void add_options(CLI::App& app, ProposeOptions& options) {
    app.add_option("path", options.stores, "RUNS folder, one of its data sets, or stores")
        ->required()
        ->type_name("RUNS");
    app.add_option("--recall", options.recall,
                   "Proportion of the known labels that the proposals must find")
        ->check(CLI::Range(0.0, 1.0))
        ->capture_default_str();
    app.add_option("--gold", options.gold,
                   "Known label sets of some images (json, csv); default: the original labels")
        ->type_name("FILE");
    app.add_option_function<std::string>(
           "--rule",
           [&options](const std::string& name) { options.rule = propose_rule_named(name); },
           "probability: a threshold for each model; rank: the k best, k by model")
        ->default_str("probability");
    app.add_option("--depth", options.depth, "Best classes of each image that are looked at")
        ->type_name("K")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_flag_callback(
        "--all-models", [&options] { options.choose_models = false; },
        "Use every model, not the subset with the fewest questions");
    app.add_flag_callback(
        "--no-original", [&options] { options.keep_original = false; },
        "Do not ask about an original label that no model proposes");
    app.add_flag("--skip-agreed", options.skip_agreed,
                 "Ask nothing where every model predicts the original label");
    app.add_option("--seed", options.seed,
                   "Seed of the sample that thresholds are set by, for large data sets")
        ->check(decimal_number())
        ->capture_default_str();
    app.add_option("-j,--threads", options.threads, "Threads (default: one per core)")
        ->check(CLI::NonNegativeNumber);
}

}  // namespace

int labels_propose(std::vector<std::string> arguments) {
    auto app = make_app("labels propose",
                        "Choose the (image, label) questions for annotators: what the models see "
                        "above thresholds that are set by a recall, with as few questions as "
                        "possible. With --csv: the questions, not the report. Status 3: the recall "
                        "is out of reach, or images have no scores.",
                        examples);
    ProposeOptions options;
    std::filesystem::path questions;
    Output output;
    add_options(*app, options);
    app->add_option(
           "-o,--output", questions,
           "Write the questions: csv with item, path, label, class, proposed_by, prior (-: stdout)")
        ->type_name("FILE");
    output.add_format_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;
    const bool printed = questions == "-" || output.format == ReportFormat::csv;
    if (questions == "-" && output.format != ReportFormat::text)
        throw Error(ErrorCode::usage, "--format and -o - both print to stdout; name a file");

    ProgressLine line("propose", "images");
    const Proposals found = propose_labels(options, *self_comm(), line);
    line.finish();
    const Report report = report_of(found);
    if (!questions.empty() && questions != "-") write_result(questions, questions_csv(found));
    if (printed) {
        for (const std::string& text : report.warnings) warn(text);
        output.write(questions_csv(found));
    } else {
        output.print(report);
    }
    return report.partial ? Status::partial : Status::done;
}

}  // namespace assay::cli
