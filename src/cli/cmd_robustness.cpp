// assay robustness: accuracy under corruptions, from stored predictions.
#include <CLI/CLI.hpp>

#include "assay/robustness/corrupted_accuracy.h"
#include "cli/command.h"
#include "cli/described.h"

namespace assay::cli {
namespace {

constexpr std::string_view robustness_examples = R"(
assay robustness runs --clean val
assay robustness runs --clean val --csv -o corruptions.csv
assay corrupt imagenet/val --out c
assay predict --model resnet50.pt --preset torchvision --data imagenet/val c/*/* --out runs
)";

}  // namespace

int cmd_robustness(std::vector<std::string> arguments) {
    auto app = make_app(
        "robustness",
        "Show accuracy by corruption and severity with intervals, its mean, relative to the clean "
        "images, and the mean corruption error. Models need predictions on a clean data set and on "
        "its corrupted copies (assay corrupt, or ImageNet-C on disk).",
        robustness_examples);
    CorruptedAccuracyOptions options;
    Output output;
    app->add_option("path", options.paths, "RUNS folder, or data sets or stores in it")
        ->required()
        ->type_name("RUNS");
    app->add_option("--clean", options.clean, "Name of the data set without corruption")
        ->required()
        ->type_name("DATASET");
    add_options(*app, options.plugins);
    app->add_option("--level", options.level, "Confidence level of the intervals")
        ->check(CLI::Range(0.5, 0.9999))
        ->capture_default_str();
    app->add_option("-j,--threads", options.threads, "Threads (default: one per core)")
        ->type_name("N")
        ->check(not_below_zero());
    output.add_to(*app);
    output.logs.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;
    const Report report = report_of(measure_corrupted(options));
    output.print(report);
    return report.partial ? Status::partial : Status::done;
}

}  // namespace assay::cli
