// assay calibrate: stored predictions, scaled by numbers that are fitted to other items.
#include <CLI/CLI.hpp>

#include "assay/derived/calibrate.h"
#include "cli/command.h"
#include "cli/described.h"
#include "cli/print_result.h"
#include "cli/progress.h"

namespace assay::cli {
namespace {

constexpr std::string_view calibrate_examples = R"(
assay calibrate runs/val
assay calibrate runs/val/resnet50 --split 0.2
assay calibrate runs/test --fit val
assay calibrate runs/val/resnet50 --method vector --layer layer.json
)";

}  // namespace

int cmd_calibrate(std::vector<std::string> arguments) {
    auto app =
        make_app("calibrate",
                 "Scale the scores of models so that their probabilities match the accuracy: "
                 "temperature, vector or per-class scaling. The scaling is fitted on one "
                 "part of the items, and the results are for the others. The scaled scores "
                 "are stored as MODEL@METHOD next to the model's own.",
                 calibrate_examples);
    CalibrateOptions options;
    add_stores(*app, options.paths);
    add_options(*app, options);
    app->add_option("--layer", options.layer,
                    "Also write the weights and biases of one model as JSON, to append them to the "
                    "model as a layer")
        ->type_name("FILE");
    Output output;
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;

    options.command = command_line();
    ProgressLine line("calibrate", "stores");
    const CalibrateResult result = calibrate_stores(options, line);
    line.finish();
    output.print(report_of(result));
    return Status::done;
}

}  // namespace assay::cli
