// assay conformal: sets of classes with guaranteed coverage, and answers with a bounded error.
#include <CLI/CLI.hpp>

#include "assay/decisions/conformal.h"
#include "cli/command.h"
#include "cli/described.h"
#include "cli/print_result.h"

namespace assay::cli {
namespace {

constexpr std::string_view conformal_examples = R"(
assay conformal runs/val
assay conformal runs/val/resnet50 --alpha 0.05 --method raps --sets sets.csv
assay conformal runs/test --calibrate-on val
assay conformal runs/val/resnet50 --max-error 0.02
)";

}  // namespace

int cmd_conformal(std::vector<std::string> arguments) {
    auto app = make_app("conformal",
                        "Predict sets of classes that hold a valid class for a chosen proportion "
                        "of the images (conformal prediction: LAC, APS, RAPS). The sets are "
                        "calibrated on one part of the images; coverage and size are measured on "
                        "the others, with intervals. Status 3: some images have no scores, or a "
                        "store cannot be used.",
                        conformal_examples);
    decisions::ConformalOptions options;
    add_stores(*app, options.stores);
    add_options(*app, options);
    app->add_option("--sets", options.sets, "Also write the set of each image as csv")
        ->type_name("FILE");
    Output output;
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;

    return print_result(output, "conformal", "stores", [&](const ProgressCallback& line) {
        return decisions::conformal_sets(options, line);
    });
}

}  // namespace assay::cli
