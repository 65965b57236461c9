// assay compare: compares models on the same images, and checks gates for a release.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "assay/decisions/methods.h"
#include "assay/error.h"
#include "assay/evaluate/compare.h"
#include "assay/evaluate/people.h"
#include "assay/report.h"
#include "cli/command.h"
#include "cli/described.h"
#include "cli/print_result.h"
#include "cli/progress.h"
#include "cli/ranks.h"
#include "cli/scoring.h"
#include "cli/store_command.h"
#include "evaluate/options_used.h"

namespace assay::cli {
namespace {

constexpr std::string_view compare_examples = R"(
assay compare runs/val/resnet50 runs/val/resnet50-v2
assay compare runs/val/a runs/val/b runs/val/c --metrics top1,nll,ece
assay compare runs/val/old runs/val/new --gate "top1.delta >= -0.005" --gate "high(ece.delta) <= 0.01"
assay compare runs/val/old runs/val/new --gate "top1.delta >= 0" --junit gates.xml --format md -o summary.md
assay compare runs/val/old runs/val/new --by camera --gate "worst(top1).delta >= -0.05"
assay compare runs/val/old runs/val/new --disagreements 50 --json
assay compare runs/val/old runs/val/new --weights weight
assay compare runs/val/a runs/val-blurred/a --other-images
assay compare --method 'old=runs/val/old-seed*' --method 'new=runs/val/new-seed*' --within 0.005
assay compare runs/cue-conflict --people human_cue_conflict --class-map 16-class
)";

class CompareCommand final : public StoreCommand {
public:
    std::unique_ptr<CLI::App> app() override {
        auto app = make_app(
            "compare",
            "Compare candidates with a baseline on the images that both scored: paired differences "
            "with intervals, exact tests, and where they disagree. Images and classes are matched "
            "by their ids. With --people, compare each model with people, by error consistency. "
            "Status 1: a gate failed; 3: some items have no scores.",
            compare_examples);
        CLI::Option* const baseline =
            app->add_option("baseline", options_.baseline, "Store of the baseline")
                ->required()
                ->type_name("STORE");
        app->add_option("candidates", options_.candidates,
                        "Stores of the candidates (with --people: further models)")
            ->type_name("STORE");
        app->add_option("--people", people_,
                        "Answers of people to the same images: csv files with the columns subj, "
                        "object_response, category, imagename, or a folder of them")
            ->type_name("CSV");
        app->add_option("--method", methods_.methods,
                        "Compare training methods over several training runs each: NAME and a "
                        "pattern of the runs' stores with * and ?; repeatable, the first is the "
                        "baseline. Runs of equal seeds (what the wildcards match) are paired")
            ->type_name("NAME=PATTERN")
            ->allow_extra_args(false)
            ->each([baseline](const std::string&) { baseline->required(false); });
        app->add_option("--within", methods_.within,
                        "With --method: wanted half of the interval of a difference (0.005: half a "
                        "point); says how many training runs it takes")
            ->type_name("NUMBER")
            ->check(CLI::Range(0.0, 1.0));
        const std::size_t others = app->get_options().size();
        add_options(*app, options_);
        add_measure_options(*app, options_.measure);
        note_resampling(*app, given_);
        note_given(*app, others);
        output_.add_to(*app);
        output_.logs.add_to(*app);
        output_.add_junit_to(*app);
        return app;
    }

    /// Compares the models of one data set. `baseline` names one of them (default: the first).
    void over(const Runs& runs) override {
        if (!methods_.methods.empty()) return;
        const std::string baseline =
            options_.baseline.empty() ? runs.models.front() : options_.baseline.string();
        if (std::ranges::find(runs.models, baseline) == runs.models.end())
            throw Error(ErrorCode::bad_input, "baseline `" + baseline +
                                                  "` is not a model of the file" +
                                                  suggest(baseline, runs.models));
        if (runs.models.size() < 2)
            throw Error(ErrorCode::bad_input, "two models are needed, but the file lists only `" +
                                                  baseline + "`; add a [[model]] table");
        const std::filesystem::path folder = runs.folder / runs.datasets.front();
        options_.baseline = folder / baseline;
        for (const std::string& model : runs.models) {
            if (model != baseline) options_.candidates.push_back(folder / model);
        }
    }

    void check() const override {
        if (!methods_.methods.empty()) return check_methods();
        if (methods_.within != 0)
            throw Error(ErrorCode::usage,
                        "--within acts with --method alone: remove it, or name the training runs");
        assay::check(options_);
        check_used(options_.measure, false);
        check_used(options_.measure, given_, !options_.by.empty());
        output_.check_junit(!options_.measure.gates.empty());
        if (people_.empty()) return;
        const MeasureOptions& measure = options_.measure;
        if (!measure.metrics.empty() || !measure.gates.empty() || !measure.labels.empty())
            throw Error(
                ErrorCode::usage,
                "--people measures only error consistency: remove --metrics, --labels and --gate");
        if (!measure.cluster.empty())
            throw Error(ErrorCode::usage, "--people measures independent images: remove --cluster");
        if (!options_.by.empty())
            throw Error(ErrorCode::usage, "--people compares all images together: remove --by");
        if (!options_.weights.empty())
            throw Error(ErrorCode::usage,
                        "--people compares images that count the same: remove --weights");
    }

    int run() const override {
        if (!methods_.methods.empty()) return run_methods();
        if (!people_.empty()) {
            PeopleOptions people{{options_.baseline}, people_, options_.measure};
            people.stores.insert(people.stores.end(), options_.candidates.begin(),
                                 options_.candidates.end());
            const Report report = report_of(compare_with_people(people));
            output_.print(report);
            return report.partial ? Status::partial : Status::done;
        }
        ProgressLine line("compare", "items");
        const CompareResult result = compare_runs(options_, ranks(), line);
        line.finish();
        for (const std::string& text : result.notes) note(text);
        const Report report = report_of(result);
        output_.print(report);
        return status_of(report.partial, all_passed(result.gates));
    }

private:
    /// Remembers which of the options from `first` are given that --method does not use.
    void note_given(CLI::App& app, std::size_t first) {
        const std::vector<CLI::Option*> options =
            app.get_options([](const CLI::Option*) { return true; });
        for (std::size_t i = first; i < options.size(); ++i) {
            const std::string name = options[i]->get_name();
            if (name == option_of<&MeasureOptions::labels>() ||
                name == option_of<&Resampling::level>() ||
                name == option_of<&MeasureOptions::threads>())
                continue;
            options[i]->each([this, name](const std::string&) {
                if (std::ranges::find(without_methods_, name) == without_methods_.end())
                    without_methods_.push_back(name);
            });
        }
    }

    void check_methods() const {
        const MeasureOptions& measure = options_.measure;
        if (!options_.baseline.empty() || !options_.candidates.empty() || !people_.empty())
            throw Error(ErrorCode::usage,
                        "--method names all stores: remove the other stores and --people");
        if (!without_methods_.empty())
            throw Error(ErrorCode::usage,
                        fmt::format("--method compares top-1 accuracy over training runs; remove "
                                    "what does not act with it: {}",
                                    fmt::join(without_methods_, ", ")));
        if (measure.labels.size() > 1)
            throw Error(ErrorCode::usage, "--method takes one --labels: remove the others");
        if (!(methods_.within >= 0))
            throw Error(ErrorCode::usage, "--within is not a number from 0 to 1");
        output_.check_junit(false);
    }

    int run_methods() const {
        decisions::MethodOptions methods = methods_;
        if (!options_.measure.labels.empty()) methods.labels = options_.measure.labels.front();
        methods.level = options_.measure.resampling.level;
        methods.threads = options_.measure.threads;
        return print_result(output_, "compare", "stores", [&](const ProgressCallback& line) {
            return decisions::compare_methods(methods, line);
        });
    }

    CompareRunsOptions options_;
    decisions::MethodOptions methods_;
    GivenResampling given_;
    std::vector<std::string> without_methods_;  ///< given options that only apply without --method
    std::vector<std::filesystem::path> people_;
    Output output_;
};

}  // namespace

std::unique_ptr<StoreCommand> compare_command() {
    return std::make_unique<CompareCommand>();
}

int cmd_compare(std::vector<std::string> arguments) {
    return run_command(*compare_command(), std::move(arguments));
}

}  // namespace assay::cli
