// assay score: computes metrics with intervals from stored predictions.
#include <CLI/CLI.hpp>

#include "assay/evaluate/score.h"
#include "assay/report.h"
#include "cli/command.h"
#include "cli/described.h"
#include "cli/progress.h"
#include "cli/ranks.h"
#include "cli/scoring.h"
#include "cli/store_command.h"
#include "evaluate/options_used.h"

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
            "`assay list metrics` shows all. Status 1: a gate fails; 3: some items have no scores.",
            score_examples);
        app->add_option("path", options_.paths, "RUNS folder, one of its data sets, or one store")
            ->required()
            ->type_name("RUNS");
        add_options(*app, options_);
        add_options(*app, shown_);
        add_measure_options(*app, options_.measure);
        note_resampling(*app, given_);
        output_.add_to(*app);
        output_.logs.add_to(*app);
        output_.add_junit_to(*app);
        return app;
    }

    void over(const Runs& runs) override {
        if (options_.paths.empty()) options_.paths = {runs.folder};
        for (std::filesystem::path& path : options_.paths) path = runs.as_called(path);
    }

    void check() const override {
        assay::check(options_, shown_);
        check_used(options_.measure, shown_.reliability);
        check_used(options_.measure, given_, !options_.by.empty());
        output_.check_junit(!options_.measure.gates.empty());
    }

    int run() const override {
        ScoreRunsOptions options = options_;
        options.confusions = shown_.confusions;
        options.by_valid_label = shown_.per_class || shown_.confusions > 0;
        options.reliability = shown_.reliability;
        ProgressLine line("score", "items");
        const ScoreResult result = score_runs(options, ranks(), line);
        line.finish();
        for (const std::string& text : result.notes) note(text);
        const Report report = report_of(result, shown_);
        output_.print(report);
        return status_of(report.partial, all_passed(result.gates));
    }

private:
    ScoreRunsOptions options_;
    ScoreShown shown_;
    GivenResampling given_;
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
