// assay replicate adjust: the gap's decomposition for every classifier, with intervals.
#include <CLI/CLI.hpp>

#include "assay/replication/steps.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/replicate_options.h"

namespace assay::cli {
namespace {

using namespace replication;

constexpr std::string_view examples = R"(
assay replicate adjust original.csv replication.csv --hits original-hits.csv replication-hits.csv
assay replicate adjust original.csv replication.csv --hits runs/v1 runs/v2 --bootstrap 1000
assay replicate adjust original.csv replication.csv --hits runs/v1 runs/v2 --methods moments,naive,jackknife,mixture
assay replicate adjust original.csv replication.csv --hits a.csv b.csv --sweep 5,10,20,40 --json -o report.json
)";

void add_methods(CLI::App& app, AdjustStep& step) {
    AdjustOptions& options = step.estimates;
    app.add_option(
           "--methods", step.methods,
           "moments, naive, jackknife, mixture, npmle; moments are quoted where they are asked for")
        ->delimiter(',')
        ->capture_default_str()
        ->type_name("LIST");
    app.add_option("--jackknife", options.jackknife, "Annotators that the jackknife leaves out")
        ->delimiter(',')
        ->capture_default_str()
        ->type_name("LIST");
    app.add_option("--exponents", options.exponents,
                   "Of the moments; default by the smallest number of annotators")
        ->delimiter(',')
        ->type_name("LIST");
    app.add_option_function<std::string>(
           "--empty-bins",
           [&](const std::string& name) { options.empty_bins = empty_bins_named(name); },
           "Readings that the replication lacks, naive and jackknife: renormalise or zero (the "
           "published jackknife script)")
        ->default_str("renormalise")
        ->type_name("RULE");
    app.add_option("--parts", options.mixture_parts, "Beta distributions in the mixture")
        ->check(CLI::Range(1, 20))
        ->capture_default_str()
        ->type_name("N");
    app.add_flag(
        "--grid-integrals", options.grid_integrals,
        "Spline by the published 1000-point sums instead of exact integrals (0.5 points of bias)");
}

void add_intervals(CLI::App& app, AdjustStep& step) {
    AdjustOptions& options = step.estimates;
    app.add_option("--bootstrap", options.bootstrap,
                   "Replicates for percentile intervals of every method and slope")
        ->capture_default_str()
        ->type_name("N");
    app.add_option_function<std::string>(
           "--units", [&](const std::string& name) { options.units = units_named(name); },
           "Independent units of intervals and bootstrap: class or image")
        ->default_str("class")
        ->type_name("UNIT");
    app.add_option("--level", options.level, "Confidence level")
        ->capture_default_str()
        ->type_name("P");
}

void add_sweeps(CLI::App& app, AdjustStep& step) {
    app.add_option("--sweep", step.sweep,
                   "Repeat the estimates as if images had these numbers of annotators; JSON has "
                   "eighths of all unless told")
        ->delimiter(',')
        ->type_name("LIST");
    app.add_option("--parts-sweep", step.parts_sweep,
                   "Repeat the mixture estimate with these numbers of parts, e.g. 3,5,7,9")
        ->delimiter(',')
        ->type_name("LIST");
}

}  // namespace

int replicate_adjust(std::vector<std::string> arguments) {
    auto app = make_app(
        "replicate adjust",
        "Reweigh the replication to the selection rates of the original and split each "
        "classifier's accuracy gap into what remains and what was selection bias. Status 3: images "
        "without hits were left out.",
        examples);
    AdjustStep step;
    Output output;
    add_sets(*app, step.original, step.replication);
    add_hits(*app, step.original_hits, step.replication_hits,
             "Hits on the original and on the replication: csv files, or folders of stores")
        ->required();
    add_methods(*app, step);
    app->add_option("--min-annotators", step.study.min_annotators, "Leave out images with fewer")
        ->capture_default_str()
        ->type_name("N");
    add_intervals(*app, step);
    add_sweeps(*app, step);
    app->add_option("-j,--threads", step.estimates.threads, "Threads (0: all)")
        ->capture_default_str()
        ->type_name("N");
    add_annotation_options(*app, step.annotations);
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;

    step.sweep_eighths = output.json;
    ProgressLine line("adjust", "steps");
    const Report report = report_of(run_adjust(step, *self_comm(), line));
    line.finish();
    output.print(report);
    return report.partial ? Status::partial : Status::done;
}

}  // namespace assay::cli
