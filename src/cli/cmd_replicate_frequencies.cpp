// assay replicate frequencies: computes from raw annotations how often each image was selected.
#include <CLI/CLI.hpp>

#include "assay/replication/steps.h"
#include "cli/command.h"
#include "cli/replicate_options.h"

namespace assay::cli {
namespace {

constexpr std::string_view replicate_frequencies_examples = R"(
assay replicate frequencies original.csv replication.csv
assay replicate frequencies original.csv replication.csv --clean --out frequencies
assay replicate frequencies original.csv --equalise 36 --csv -o original.frequencies.csv
)";

}  // namespace

int replicate_frequencies(std::vector<std::string> arguments) {
    auto app =
        make_app("replicate frequencies",
                 "Count how often each image was selected, from annotations (csv: annotator, "
                 "image, label, selected, and perhaps batch and control). Repeated answers are "
                 "dropped. --clean also drops annotators who guess. Give both sets of a study at "
                 "once: annotators are judged by all their answers, and the overlap of the two "
                 "pools is checked. Status 3: no annotator judged both sets.",
                 replicate_frequencies_examples);
    replication::FrequenciesStep step;
    Output output;
    app->add_option("files", step.files, "Annotations of the original and of the replication")
        ->required()
        ->expected(1, 2)
        ->type_name("CSV");
    app->add_option("--out", step.out, "Write FOLDER/<file>.frequencies.csv for each set")
        ->type_name("FOLDER");
    app->add_flag("--force", step.force, "Replace existing files");
    add_annotation_options(*app, step.annotations);
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;

    const Report report = report_of(run_frequencies(step));
    output.print(report);
    return report.partial ? Status::partial : Status::done;
}

}  // namespace assay::cli
