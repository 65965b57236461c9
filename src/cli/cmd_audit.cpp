// assay audit: finds labels that are probably wrong.
#include <CLI/CLI.hpp>

#include "assay/audit/audit.h"
#include "cli/command.h"
#include "cli/described.h"
#include "cli/progress.h"

namespace assay::cli {
namespace {

constexpr std::string_view audit_examples = R"(
assay audit runs/val
assay audit runs/val/resnet50 runs/val/vit --top 100 --questions questions.csv
assay audit runs/val --confirm votes.csv --save-labels corrected.csv
assay audit runs/val --csv -o suspects.csv
assay audit runs/val --duplicates --csv -o duplicates.csv
)";

}  // namespace

int cmd_audit(std::vector<std::string> arguments) {
    auto app = make_app("audit",
                        "Find labels that are probably wrong, images with two likely classes, and "
                        "duplicates, by the stored scores of one or several models. People "
                        "confirm them; "
                        "then save corrected labels and see what they change.",
                        audit_examples);
    audit::AuditOptions options;
    Output output;
    app->add_option("stores", options.stores,
                    "Predictions for the same labelled images: a RUNS folder, a data set in it, or "
                    "stores. The models should not have been trained on these images")
        ->required()
        ->type_name("RUNS");
    add_options(*app, options);
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;

    ProgressLine line("audit", "steps");
    const audit::LabelAudit result = audit::audit_labels(options, line);
    line.finish();
    output.print(report_of(result, options.duplicates));
    return Status::done;
}

}  // namespace assay::cli
