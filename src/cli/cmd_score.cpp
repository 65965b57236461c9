// assay score: stored predictions -> metrics with intervals.
#include <CLI/CLI.hpp>

#include "assay/evaluate/score.h"
#include "assay/report.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/ranks.h"
#include "cli/scoring.h"
#include "cli/store_command.h"

namespace assay::cli {
namespace {

constexpr std::string_view score_examples = R"(
assay score runs
assay score runs/val/resnet50 --per-class
assay score runs/val/resnet50 --confusion --csv
assay score runs/val/resnet50 --reliability --bins 10
assay score runs --metrics top1,ece:bins=20,ace --json
assay score runs/val --labels real.json
assay score runs/val --labels real.json --metrics real,asma,asma.jaccard --gate "low(asma) >= 0.5"
assay score runs --labels v1=real.json --labels v2=v2-labels.csv
assay score runs --across "patchml-seed*" --subgroups 2,3,4,6,9
assay score runs/imagenet-r --class-map imagenet-r
assay score runs --ood val=textures
assay score runs/val/resnet50 --gate "low(top1) >= 0.75" --gate "ece <= 0.05" --junit gates.xml
assay score runs --log scores.jsonl --log tensorboard:logs --log-step 90000
assay score runs/imagenet-val --published results-imagenet.csv
)";

class ScoreCommand final : public StoreCommand {
public:
    std::unique_ptr<CLI::App> app() override {
        auto app = make_app(
            "score",
            "Compute metrics, each with its interval and definition, from stored predictions. "
            "`assay list metrics` shows "
            "them all. Status 1: a gate is broken; 3: some items have no scores.",
            score_examples);
        app->add_option("path", options_.paths, "RUNS folder, one of its data sets, or one store")
            ->required()
            ->type_name("RUNS");
        app->add_option("--subgroup", options_.subgroup,
                        "Every metric again for each value of this attribute of the data set")
            ->type_name("ATTR");
        app->add_option(
               "--across", options_.across,
               "Mean of each metric over the data sets whose name matches, with their spread, "
               "model by model; gates are then about the means")
            ->type_name("GLOB");
        app->add_option("--ood", options_.ood,
                        "How well confidence, energy and the greatest logit tell the images of "
                        "data set IN from those of OUT (instead of the metrics, unless --metrics "
                        "names some)")
            ->type_name("IN=OUT");
        app->add_option("--published", options_.published,
                        "Results that others published of the same models, to compare with: csv "
                        "with the columns model, top1, top5 as timm's results-imagenet.csv; "
                        "METRIC=FILE says what top1 is there (real); repeatable")
            ->type_name("FILE")
            ->allow_extra_args(false);
        app->add_flag("--per-class", shown_.per_class,
                      "A line for every class, the least accurate first (with --csv: instead "
                      "of the metrics, in the classes' order)");
        app->add_option_function<std::string>(
               "--confusion",
               [this](const std::string& n) {
                   // Without a value CLI11 gives an empty one.
                   shown_.confusions = n.empty() ? all_confusions : std::stoull(n);
               },
               "The N most frequent confusions (with --csv: instead of the metrics; without "
               "N: all, of which people see 20)")
            ->type_name("N")
            ->expected(0, 1)
            ->check([](const std::string& n) {
                return n.find_first_not_of("0123456789") == std::string::npos && n.size() < 10
                           ? std::string()
                           : "--confusion " + n + ": a whole number is allowed, or none";
            });
        app->add_flag("--reliability", shown_.reliability,
                      "Accuracy by confidence, in the bins of ece (--bins, --edges), with "
                      "intervals (with --csv: instead of the metrics)");
        add_measure_options(*app, options_.measure);
        output_.add_to(*app);
        output_.logs.add_to(*app);
        output_.add_junit_to(*app);
        return app;
    }

    void over(const Runs& runs) override {
        if (options_.paths.empty()) options_.paths = {runs.folder};
    }

    void check() const override {
        assay::check(options_, shown_);
        output_.check_junit(!options_.measure.gates.empty());
    }

    int run() const override {
        ScoreRunsOptions options = options_;
        options.confusions = shown_.confusions;
        options.reliability = shown_.reliability;
        ProgressLine line("score", "items");
        const ScoreResult result = score_runs(options, ranks(), line);
        line.finish();
        for (const std::string& text : result.notes) note(text);
        const Report report = report_of(result, shown_);
        output_.print(report);
        if (report.partial) return Status::partial;
        return all_passed(result.gates) ? Status::done : Status::gate_broken;
    }

private:
    ScoreRunsOptions options_;
    ScoreShown shown_;
    Output output_;
};

}  // namespace

std::unique_ptr<StoreCommand> score_command() {
    return std::make_unique<ScoreCommand>();
}

int cmd_score(std::vector<std::string> arguments) {
    return run_command(*score_command(), std::move(arguments));
}

}  // namespace assay::cli
