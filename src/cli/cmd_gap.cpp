// assay gap: the same models on two data sets; how much of the fall the number of labels
// per image explains.
#include <CLI/CLI.hpp>

#include "assay/collective/comm.h"
#include "assay/error.h"
#include "assay/evaluate/gap.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/ranks.h"
#include "cli/store_command.h"

namespace assay::cli {
namespace {

constexpr std::string_view gap_examples = R"(
assay gap runs/imagenet-v1 runs/imagenet-v2 --labels1 real.json --labels2 v2-labels.csv
assay gap v1 v2 --runs runs --mark resnet50
assay gap runs/v1 runs/v2 --subgroups present --agreement jaccard --json -o gap.json
assay gap --table published.csv --all
assay gap --table published.csv --rank-by asma_patchml --ties dense --all --format latex
assay gap v1 v2 --runs runs --also patchml-seed1 --also-subgroups 2,3,4,6,9 --rank-by asma_patchml-seed1
)";

class GapCommand final : public StoreCommand {
public:
    std::unique_ptr<CLI::App> app() override {
        auto app = make_app(
            "gap",
            "Compare two data sets through the same models: top-1, ReaL and ASMA on both, their "
            "gaps, the models' ranks, and how much of the top-1 gap the labels per image explain. "
            "Status 3: some items have no scores.",
            gap_examples);
        app->add_option("sets", request_.sets,
                        "Two data sets: RUNS/V1 RUNS/V2, or their names with --runs")
            ->expected(0, 2)
            ->type_name("V1 V2");
        app->add_option("--runs", request_.runs,
                        "Folder of the runs: V1 and V2 are names of data sets in it")
            ->type_name("RUNS");
        app->add_option("--labels1", request_.labels[0],
                        "Label sets of V1 for ReaL and ASMA (json, csv, npy); top-1 keeps its own")
            ->type_name("LABELS");
        app->add_option("--labels2", request_.labels[1], "The same for V2")->type_name("LABELS");
        app->add_option("--table", request_.table,
                        "Published results instead of stores: csv with model, top1_v1, top1_v2, "
                        "real_v1, ... asma_v2")
            ->type_name("CSV");
        app->add_option("--unit", unit_, "Of --table: percent, proportion, or auto")
            ->check(CLI::IsMember({"auto", "percent", "proportion"}))
            ->capture_default_str();
        app->add_option("--n1", request_.images[0],
                        "Images that --table's top-1 was measured on, for intervals")
            ->type_name("N");
        app->add_option("--n2", request_.images[1], "The same for V2")->type_name("N");
        app->add_option("--also", request_.also,
                        "A further data set for the same models, like V1 (with --table: csv with "
                        "model, top1, real, asma); repeatable")
            ->type_name("V3")
            ->allow_extra_args(false);
        app->add_option("--also-labels", request_.also_labels,
                        "Label sets of the further data sets, one for each --also")
            ->type_name("LABELS")
            ->allow_extra_args(false);
        app->add_option("--also-subgroups", request_.also_subgroups,
                        "Labels per image that their ASMA averages over (default: --subgroups)")
            ->type_name("LIST");
        app->add_option("--rank-by", request_.rank_by,
                        "Show the models by this column, and how far each moves: asma_v1, real_v2, "
                        "asma_patchml, ... (metric_set)")
            ->type_name("COLUMN");
        app->add_option("--rank-against", request_.rank_against,
                        "The column to compare their places with (default: top1_v1; if no "
                        "model has one, as on composites, real_v1)")
            ->type_name("COLUMN");
        app->add_option_function<std::string>(
               "--ties", [this](const std::string& ties) { request_.dense_ties = ties == "dense"; },
               "Ranks after equal values: standard (1, 2, 2, 4) or dense (1, 2, 2, 3)")
            ->check(CLI::IsMember({"standard", "dense"}))
            ->default_str("standard");
        app->add_option(
               "--subgroups", request_.options.subgroups,
               "Labels per image that ASMA averages over: 1-5, 2,3,4,6,9, present (every number "
               "that both have), or 1-9,present (of these, those that both have)")
            ->type_name("LIST")
            ->capture_default_str();
        app->add_option("--agreement", request_.options.agreement,
                        "Of the g best classes with g labels: recall, jaccard, or hamming (as the "
                        "papers print it; above "
                        "0.98 for any prediction at all when there are 1000 classes)")
            ->type_name("{recall,jaccard,hamming}")
            ->capture_default_str();
        app->add_option("--pool-above", request_.options.pooled_above,
                        "Images with more labels are one group in the decomposition")
            ->check(CLI::Range(1, 64))
            ->capture_default_str();
        app->add_option("--margin", margin_, "Models with a smaller |gap| are counted, in points")
            ->check(CLI::Range(0.0, 100.0))
            ->capture_default_str();
        app->add_option("--mark", request_.options.marked,
                        "Show this model's line beside the box plots; repeatable")
            ->type_name("CLASSIFIER")
            ->allow_extra_args(false);
        app->add_flag("--slivers", request_.options.slivers,
                      "Show top-1 also where less than 5 % of a data set's images have a single "
                      "label");
        app->add_option("--top", request_.options.top, "Models listed as the best by ASMA")
            ->capture_default_str();
        app->add_flag("--all", all_models_, "Every model in the table, not the first 20");
        app->add_option("--level", request_.options.level, "Confidence level of the intervals")
            ->check(CLI::Range(0.5, 0.9999))
            ->capture_default_str();
        app->add_option("--bootstrap", request_.options.replicates,
                        "Replicates for ranks and rank correlations; 0: no intervals")
            ->check(CLI::Range(0, 100'000))
            ->capture_default_str();
        app->add_option("--seed", request_.options.seed, "Seed of the bootstrap")
            ->check(decimal_number())
            ->capture_default_str();
        app->add_option("-j,--threads", request_.options.threads, "Threads (default: one per core)")
            ->check(CLI::NonNegativeNumber);
        output_.add_to(*app);
        output_.logs.add_to(*app);
        return app;
    }

    void over(const Runs& runs) override {
        if (!request_.table.empty()) return;
        if (request_.sets.empty()) {
            if (runs.datasets.size() != 2)
                throw Error(ErrorCode::bad_input,
                            "a gap is between two data sets: name them, as in sets = [\"v1\", "
                            "\"v2\"]");
            request_.sets = runs.datasets;
        }
        if (!request_.runs.empty()) return;
        for (std::string& set : request_.sets) set = runs.find(set).string();
        for (std::string& set : request_.also) set = runs.find(set).string();
    }

    void check() const override { assay::check(request_); }

    int run() const override {
        GapRequest request = request_;
        request.unit = table_unit_named(unit_);
        request.options.margin = margin_ / 100;
        ProgressLine line("gap", "scores");
        const GapReport report = run_gap(request, ranks(), line);
        line.finish();
        for (const std::string& text : report.notes) note(text);
        output_.print(report_of(report, all_models_));
        return report.partial ? Status::partial : Status::done;
    }

private:
    GapRequest request_;
    std::string unit_ = "auto";
    double margin_ = 100 * request_.options.margin;  ///< in points
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
