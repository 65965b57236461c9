// assay replicate adjust: the gap's decomposition for every classifier, with intervals.
#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/replication/steps.h"
#include "cli/command.h"
#include "cli/outputs.h"
#include "cli/progress.h"
#include "cli/ranks.h"
#include "cli/replicate_options.h"
#include "cli/store_command.h"
#include "core/json_text.h"

namespace assay::cli {
namespace {

using namespace replication;

constexpr std::string_view replicate_adjust_examples = R"(
assay replicate adjust original.csv replication.csv --hits original-hits.csv replication-hits.csv
assay replicate adjust original.csv replication.csv --hits runs/v1 runs/v2 --bootstrap 1000
assay replicate adjust original.csv replication.csv --hits runs/v1 runs/v2 --methods pl,naive,jackknife,mixture
assay replicate adjust original.csv replication.csv --hits a.csv b.csv --sweep 5,10,20,40 --json -o report.json
assay replicate adjust original.csv replication.csv --hits runs/v1 runs/v2 --labels1 real.json --labels2 v2.csv
assay replicate adjust original.csv replication.csv --hits a.csv b.csv --figures figures.json
)";

void add_methods(CLI::App& app, AdjustStep& step) {
    AdjustOptions& options = step.estimates;
    app.add_option("--methods", step.methods,
                   "pl, moments, mixture, npmle, jackknife, naive; the summary uses the first of "
                   "these that you choose (the mixture without --bootstrap only before naive)")
        ->delimiter(',')
        ->capture_default_str()
        ->type_name("{pl,moments,mixture,npmle,jackknife,naive}");
    app.add_option("--jackknife", options.jackknife, "Annotators that the jackknife omits")
        ->delimiter(',')
        ->capture_default_str()
        ->type_name("LIST");
    app.add_option(
           "--exponents", options.exponents,
           "Exponents of the moments (default: chosen by the smallest number of annotators)")
        ->delimiter(',')
        ->type_name("LIST");
    app.add_option_function<std::string>(
           "--empty-bins",
           [&](const std::string& name) { options.empty_bins = empty_bins_named(name); },
           "What naive and jackknife do with selection frequencies that no image of the "
           "replication has: renormalise the others, or zero (as the published jackknife script)")
        ->default_str("renormalise")
        ->type_name("{renormalise,zero}");
    app.add_option("--parts", options.mixture_parts, "Beta distributions in the mixture")
        ->check(CLI::Range(1, 20))
        ->capture_default_str()
        ->type_name("N");
    app.add_flag("--grid-integrals", options.grid_integrals,
                 "Use the published 1000-point sums for the spline instead of exact integrals (0.5 "
                 "points of bias)");
}

void add_intervals(CLI::App& app, AdjustStep& step) {
    AdjustOptions& options = step.estimates;
    app.add_option("--bootstrap", options.bootstrap,
                   "Replicates for percentile intervals of every method but npmle, and of slopes")
        ->capture_default_str()
        ->type_name("N");
    app.add_option_function<std::string>(
           "--units", [&](const std::string& name) { options.units = units_named(name); },
           "Independent units of intervals and bootstrap: class or image")
        ->default_str("class")
        ->type_name("{class,image}");
    app.add_option("--level", options.level, "Confidence level")
        ->check(CLI::Range(0.5, 0.9999))
        ->capture_default_str()
        ->type_name("P");
}

void add_sweeps(CLI::App& app, AdjustStep& step) {
    app.add_option("--sweep", step.sweep,
                   "Repeat the estimates as if images had these numbers of annotators; in JSON the "
                   "default is 1/8, 2/8, ... of all annotators")
        ->delimiter(',')
        ->type_name("LIST");
    app.add_option("--parts-sweep", step.parts_sweep,
                   "Repeat the mixture estimate with these numbers of parts, e.g. 3,5,7,9")
        ->delimiter(',')
        ->type_name("LIST");
}

void add_labels(CLI::App& app, AdjustStep& step) {
    app.add_option("--labels1", step.labels1,
                   "Label sets of the original: also divide the gap by labels per image, together "
                   "with selection")
        ->type_name("FILE");
    app.add_option("--labels2", step.labels2, "Label sets of the replication")->type_name("FILE");
    app.add_option("--pool-above", step.pool_above,
                   "With --labels1: images with more labels than this are one group")
        ->check(CLI::Range(1, 100))
        ->default_str(std::to_string(replication::usual_pool_above))
        ->type_name("N");
}

class AdjustCommand final : public StoreCommand {
public:
    std::unique_ptr<CLI::App> app() override {
        auto app = make_app(
            "replicate adjust",
            "Reweigh the replication to the selection rates of the original and split each "
            "classifier's accuracy gap into what remains and what was selection bias. Status 3: "
            "images without hits were skipped.",
            replicate_adjust_examples);
        add_sets(*app, step_.original, step_.replication);
        add_hits(*app, step_.original_hits, step_.replication_hits,
                 "Hits on the original and on the replication: csv files, or folders of stores")
            ->required();
        add_methods(*app, step_);
        app->add_option("--min-annotators", step_.study.min_annotators,
                        "Skip images with fewer annotators")
            ->capture_default_str()
            ->type_name("N");
        add_intervals(*app, step_);
        add_sweeps(*app, step_);
        add_labels(*app, step_);
        app->add_option(
               "--figures", figures_,
               "Write the data of figures as JSON, with intervals: methods by number of "
               "annotators, accuracy by reading, points, lines, densities, halves of the study")
            ->type_name("FILE");
        app->add_option("-j,--threads", step_.estimates.threads, "Threads (0: all)")
            ->capture_default_str()
            ->type_name("N");
        add_annotation_options(*app, step_.annotations);
        output_.add_to(*app);
        return app;
    }

    /// Hits come from the stores of the two data sets, or of those that `hits` names.
    void over(const Runs& runs) override {
        if (step_.original.empty() || step_.replication.empty())
            throw Error(ErrorCode::bad_input,
                        "annotations of two data sets are needed: set them, as in original = "
                        "\"original.csv\" and replication = \"replication.csv\"");
        if (step_.original_hits.empty()) {
            if (runs.datasets.size() != 2)
                throw Error(ErrorCode::bad_input,
                            "hits need two data sets, the original first: name them, as in hits = "
                            "[\"v1\", \"v2\"]");
            step_.original_hits = runs.datasets[0];
            step_.replication_hits = runs.datasets[1];
        }
        for (std::filesystem::path* hits : {&step_.original_hits, &step_.replication_hits})
            *hits = runs.find(hits->string());
    }

    void check() const override { replication::check(whole_step()); }

    int run() const override {
        ProgressLine line("adjust", "steps");
        const AdjustOutcome outcome = run_adjust(whole_step(), ranks(), line);
        const Report report = report_of(outcome);
        for (const std::string& taken : outcome.notes) note(taken);
        line.finish();
        if (outcome.figures)
            write_result(
                figures_,
                json_line(to_json(ReplicateFigures{&*outcome.figures, &outcome.adjusted})) + "\n");
        output_.print(report);
        return report.partial ? Status::partial : Status::done;
    }

private:
    /// With what the files to write need.
    AdjustStep whole_step() const {
        AdjustStep step = step_;
        step.sweep_eighths = output_.json;
        step.figures = !figures_.empty();
        return step;
    }

    AdjustStep step_;
    std::filesystem::path figures_;
    Output output_;
};

}  // namespace

std::unique_ptr<StoreCommand> adjust_command() {
    return std::make_unique<AdjustCommand>();
}

int replicate_adjust(std::vector<std::string> arguments) {
    return run_command(*adjust_command(), std::move(arguments));
}

}  // namespace assay::cli
