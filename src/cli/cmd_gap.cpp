// assay gap: the same models on two data sets, and how much of the loss is explained by the number
// of labels per image.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "assay/collective/comm.h"
#include "assay/error.h"
#include "assay/evaluate/gap.h"
#include "cli/command.h"
#include "cli/described.h"
#include "cli/progress.h"
#include "cli/ranks.h"
#include "cli/store_command.h"
#include "core/paths.h"
#include "evaluate/matching_data_sets.h"

namespace assay::cli {
namespace {

constexpr std::string_view gap_examples = R"(
assay gap runs/imagenet-v1 runs/imagenet-v2 --labels1 real.json --labels2 v2-labels.csv
assay gap v1 v2 --runs runs --mark resnet50
assay gap runs/v1 runs/v2 --subgroups present --agreement jaccard --json -o gap.json
assay gap runs/v1 runs/v2 --by camera
assay gap --table published.csv --all
assay gap --table published.csv --rank-by asma_patchml --ties dense --all --format latex
assay gap v1 v2 --runs runs --also 'patchml-seed*' --also-subgroups 2,3,4,6,9 --rank-by 'asma_patchml-seed*'
)";

class GapCommand final : public StoreCommand {
public:
    std::unique_ptr<CLI::App> app() override {
        auto app =
            make_app("gap",
                     "Compare the same models on two data sets: top-1, ReaL and ASMA on both, "
                     "their gaps, and the models' ranks. It also shows how much of the top-1 gap "
                     "the labels per image explain. Status 3: some items have no scores.",
                     gap_examples);
        app->add_option("sets", request_.sets,
                        "Two data sets: RUNS/V1 RUNS/V2, or their names with --runs")
            ->expected(0, 2)
            ->type_name("V1 V2");
        add_options(*app, request_);
        app->add_option("--labels1", request_.labels[0],
                        "Label sets of V1 for ReaL and ASMA (json, csv, npy); top-1 still uses the "
                        "data set's own labels")
            ->type_name("LABELS");
        app->add_option("--labels2", request_.labels[1], "The same for V2")->type_name("LABELS");
        app->add_option_function<std::string>(
               "--ties", [this](const std::string& ties) { request_.dense_ties = ties == "dense"; },
               "Ranks after equal values: standard (1, 2, 2, 4) or dense (1, 2, 2, 3)")
            ->check(CLI::IsMember({"standard", "dense"}))
            ->default_str("standard");
        add_options(*app, request_.options);
        app->add_flag("--all", all_models_, "Show every model, not only the first 20");
        output_.add_to(*app);
        output_.logs.add_to(*app);
        app->parse_complete_callback([options = app.get()] {
            const bool table = options->count(option_of<&GapRequest::table>()) > 0;
            for (const std::string& name :
                 {option_of<&GapOptions::subgroups>(), option_of<&GapOptions::agreement>(),
                  option_of<&GapOptions::pooled_above>(), option_of<&GapOptions::slivers>()}) {
                if (table && options->count(name) > 0)
                    throw Error(ErrorCode::usage,
                                fmt::format("{} needs stores, because it counts their labels; "
                                            "--table has only published values",
                                            name));
            }
            if (!table && options->count(option_of<&GapRequest::unit>()) > 0)
                throw Error(ErrorCode::usage,
                            "--unit is the unit of the values in --table; omit it for stores");
        });
        return app;
    }

    void over(const Runs& runs) override {
        if (!request_.table.empty()) {
            for (std::string& file : request_.also)
                file = path_from(runs.file_folder, file).string();
            return;
        }
        if (request_.sets.empty()) {
            if (runs.datasets.size() != 2)
                throw Error(ErrorCode::bad_input,
                            "a gap is between two data sets: name them, as in sets = [\"v1\", "
                            "\"v2\"]");
            request_.sets = runs.datasets;
        }
        if (!request_.runs.empty()) return;
        for (std::string& set : request_.sets) set = runs.find(set).string();
        for (std::string& set : request_.also) {
            const bool below = set.find('/') == std::string::npos;
            set = !evaluate::is_pattern(set) ? runs.find(set).string()
                  : below                    ? (runs.folder / set).string()
                                             : path_from(runs.file_folder, set).string();
        }
    }

    void check() const override { assay::check(request_); }

    int run() const override {
        ProgressLine line("gap", "scores");
        const GapReport report = run_gap(request_, ranks(), line);
        line.finish();
        for (const std::string& text : report.notes) note(text);
        output_.print(report_of(report, all_models_));
        return report.partial ? Status::partial : Status::done;
    }

private:
    GapRequest request_;
    bool all_models_ = false;
    Output output_;
};

}  // namespace

std::unique_ptr<StoreCommand> gap_command() {
    return std::make_unique<GapCommand>();
}

int cmd_gap(std::vector<std::string> arguments) {
    return run_command(*gap_command(), std::move(arguments));
}

}  // namespace assay::cli
