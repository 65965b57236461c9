// assay replicate plan: computes the size of a study from a pilot.
#include <CLI/CLI.hpp>

#include "assay/replication/steps.h"
#include "cli/command.h"
#include "cli/ranks.h"
#include "cli/replicate_options.h"

namespace assay::cli {
namespace {

constexpr std::string_view replicate_plan_examples = R"(
assay replicate plan original.csv replication.csv --width 2
assay replicate plan original.csv replication.csv --hits a.csv b.csv --width 1.5 --annotators 10,20,40
)";

}  // namespace

int replicate_plan(std::vector<std::string> arguments) {
    auto app = make_app("replicate plan",
                        "Plan a study from a pilot's annotations: the number of images for an "
                        "interval of a given width, by number of annotators. It also shows the "
                        "bias of each estimator. Status 3: images without hits were skipped.",
                        replicate_plan_examples);
    replication::PlanStep step;
    Output output;
    add_sets(*app, step.original, step.replication);
    add_hits(*app, step.original_hits, step.replication_hits, "Hits on both, as for adjust");
    app->add_option_function<double>(
           "--width", [&](double points) { step.plan.width = points / 100; },
           "Wanted width of the interval, in points")
        ->default_str("2")
        ->type_name("POINTS");
    app->add_option("--annotators", step.plan.annotators, "Numbers of annotators to plan for")
        ->delimiter(',')
        ->capture_default_str()
        ->type_name("LIST");
    app->add_option("--level", step.plan.level, "Confidence level")
        ->capture_default_str()
        ->type_name("P");
    app->add_option("-j,--threads", step.threads, "Threads (0: all)")
        ->capture_default_str()
        ->type_name("N");
    add_annotation_options(*app, step.annotations);
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;

    const Report report = report_of(run_plan(step, ranks()));
    output.print(report);
    return report.partial ? Status::partial : Status::done;
}

}  // namespace assay::cli
