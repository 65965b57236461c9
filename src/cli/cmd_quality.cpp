// assay quality: nine quality dimensions of classifiers, from a table.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "assay/error.h"
#include "assay/quality/choose.h"
#include "assay/quality/correlate.h"
#include "assay/quality/groups.h"
#include "assay/quality/quba.h"
#include "assay/quality/ranking.h"
#include "cli/cmd_quality.h"
#include "cli/command.h"

namespace assay::cli {
namespace {

using namespace quality;

/// The first arguments of every part.
struct QualityInput {
    std::string table;
    std::vector<std::string> where;

    void add_to(CLI::App& app, bool selects = true) {
        app.add_option("table", table,
                       "csv or json file with a model per row (docs/quality.md), or published: the "
                       "326 models of the paper")
            ->required()
            ->type_name("TABLE");
        if (!selects) return;
        app.add_option("--where", where,
                       "Select models: TAG=VALUE, model=VALUE (* matches anything), rows=1,5,7-9; "
                       "repeatable: all must hold")
            ->allow_extra_args(false)
            ->type_name("SELECTOR");
    }
    /// Returns the published table itself, or `read` with the table from the file.
    const QualityTable& open(QualityTable& read,
                             TableColumns columns = TableColumns::dimensions) const {
        if (table == "published") return published_models();
        read = read_quality_table(table, columns);
        return read;
    }
};

void add_columns(CLI::App& app, std::vector<std::string>& columns) {
    app.add_option("--column", columns,
                   "Also compare this column of numbers, such as gmacs, latency_ms or ood_auroc. "
                   "The table then needs none of the nine dimensions; repeatable")
        ->allow_extra_args(false)
        ->type_name("COLUMN");
}

void add_weights(CLI::App& app, std::string& weights, bool columns = false) {
    app.add_option(
           "--weights", weights,
           std::string("balanced, or one group doubled: accuracy, robustness, calibration, "
                       "class_balance, shortcut, parameters; or NAME=NUMBER,... changing the "
                       "balanced ones (after `none,`: only these count)") +
               (columns ? ". NAME is a dimension, or a column of numbers such as gmacs" : ""))
        ->type_name("WEIGHTS")
        ->capture_default_str();
}

void add_column_options(CLI::App& app, ColumnOptions& columns) {
    app.add_option("--better", columns.better,
                   "NAME=low or NAME=high: the better values of a column, if its name does not "
                   "show them; repeatable")
        ->allow_extra_args(false)
        ->type_name("NAME=SIDE");
    app.add_option("--scale", columns.scales,
                   "NAME=MEAN:DEVIATION that centre and scale a column (default: those of these "
                   "models); repeatable")
        ->allow_extra_args(false)
        ->type_name("NAME=SCALE");
}

/// Without a column that is not a dimension, its options cannot act.
void refuse_column_options(const ColumnOptions& columns) {
    if (columns.better.empty() && columns.scales.empty()) return;
    throw Error(ErrorCode::usage,
                fmt::format("{} sets a column that is not one of the nine dimensions, but none "
                            "counts; give it a weight, such as --weights gmacs=1",
                            columns.better.empty() ? "--scale" : "--better"));
}

constexpr std::string_view quality_score_examples = R"(
assay quality score published --top 10
assay quality score quality.csv
assay quality score quality.csv --weights robustness --csv -o scores.csv
assay quality score quality.csv --weights parameters=0,accuracy=2
assay quality score published --where "architecture=CNN" --own-constants
assay quality score costs.csv --weights gmacs=1,ood_auroc=2
assay quality score published --by accuracy*ood_robustness --top 15
)";

int quality_score(std::vector<std::string> arguments) {
    auto app = make_app("quality score",
                        "Compute QUBA, one score from nine dimensions, with intervals of scores "
                        "and ranks, and each model's place among the 326 published ones.",
                        quality_score_examples);
    QualityInput input;
    RankingOptions ranking;
    QubaOptions& options = ranking.score;
    Output output;
    input.add_to(*app);
    add_weights(*app, options.weights, true);
    add_column_options(*app, ranking.columns);
    app->add_option("--by", ranking.by,
                    "Rank by a dimension or column itself, or by a product: "
                    "accuracy*ood_robustness, accuracy/gmacs")
        ->type_name("COLUMN");
    app->add_flag("--own-constants", options.own_constants,
                  "Centre and scale by these models, not by the published constants");
    app->add_option("--trim", options.trim,
                    "For scales of these models: proportion trimmed on each side")
        ->check(CLI::Range(0.0, 0.49))
        ->type_name("P")
        ->capture_default_str();
    app->add_flag("--drop-missing", options.drop_missing,
                  "Score models that lack a dimension by the others, with a note");
    app->add_option("--top", options.top, "Show only the best N (csv and json have all)")
        ->type_name("N");
    add_level(*app, options.level);
    app->add_option("--replicates", options.replicates, "Draws behind the intervals")
        ->check(CLI::Range(100, 1000000))
        ->type_name("N")
        ->capture_default_str();
    add_seed(*app, options.seed);
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;
    options.where = input.where;
    QualityTable read;
    const QualityTable& table = input.open(read, TableColumns::any);
    if (needs_ranking(table, ranking)) {
        output.print(report_of(rank_models(table, ranking)));
    } else {
        refuse_column_options(ranking.columns);
        output.print(report_of(score_quality(table, options)));
    }
    return Status::done;
}

constexpr std::string_view quality_correlate_examples = R"(
assay quality correlate published
assay quality correlate published --where "architecture=Transformer" --adjust bh
assay quality correlate published --family paper
assay quality correlate published --by architecture
assay quality correlate costs.csv --column gmacs --column latency_ms
)";

int quality_correlate(std::vector<std::string> arguments) {
    auto app = make_app("quality correlate",
                        "Show Spearman's correlation of all pairs of dimensions over the models, "
                        "with intervals and adjusted p-values.",
                        quality_correlate_examples);
    QualityInput input;
    CorrelateOptions options;
    Output output;
    input.add_to(*app);
    add_columns(*app, options.columns);
    app->add_option("--family", options.family,
                    "Tag that names families: they are resampled for the intervals, because models "
                    "of one family are not independent")
        ->type_name("TAG");
    app->add_option("--by", options.by,
                    "Tag: also show the correlations among the models of each of its values, if "
                    "there are at least ten")
        ->type_name("TAG");
    app->add_option("--adjust", options.adjust, "p-values for all pairs: holm, bh, none")
        ->check(CLI::IsMember({"holm", "bh", "none"}))
        ->type_name("NAME")
        ->capture_default_str();
    add_level(*app, options.level);
    app->add_option("--replicates", options.replicates, "Draws of families")
        ->check(CLI::Range(100, 1000000))
        ->type_name("N")
        ->capture_default_str();
    add_seed(*app, options.seed);
    app->add_option("-j,--threads", options.threads, "Threads (default: one per core)")
        ->type_name("N")
        ->check(not_below_zero());
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;
    options.where = input.where;
    QualityTable read;
    output.print(report_of(correlate_dimensions(input.open(read, TableColumns::any), options)));
    return Status::done;
}

constexpr std::string_view quality_groups_examples = R"(
assay quality groups published --first "training=Supervised learning" --second "training=Adversarial training"
assay quality groups quality.csv --first "recipe=old" --second "recipe=new" --paired --family architecture
)";

int quality_groups(std::vector<std::string> arguments) {
    auto app =
        make_app("quality groups",
                 "Compare two groups of models in every dimension: means, difference, effect "
                 "size, permutation tests.",
                 quality_groups_examples);
    QualityInput input;
    GroupOptions options;
    Output output;
    input.add_to(*app, false);
    app->add_option(
           "--first", options.first,
           "Selectors of the first group: TAG=VALUE, model=VALUE, rows=1,5,7-9; repeatable")
        ->required()
        ->allow_extra_args(false)
        ->type_name("SELECTOR");
    app->add_option("--second", options.second, "Selectors of the second group; repeatable")
        ->required()
        ->allow_extra_args(false)
        ->type_name("SELECTOR");
    add_columns(*app, options.columns);
    app->add_flag("--paired", options.paired,
                  "Pair the first model of one group with the first of the other, and so on");
    app->add_option("--family", options.family,
                    "Tag that names families of pairs, which count as one (with --paired)")
        ->type_name("TAG");
    app->add_flag("--published-test", options.published_test,
                  "Also show the test and the stars of the paper's table 2");
    add_level(*app, options.level);
    app->add_option("--permutations", options.permutations,
                    "Random permutations, if there are too many to try all")
        ->check(CLI::Range(100, 10000000))
        ->type_name("N")
        ->capture_default_str();
    add_seed(*app, options.seed);
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;
    QualityTable read;
    output.print(report_of(compare_groups(input.open(read, TableColumns::any), options)));
    return Status::done;
}

constexpr std::string_view quality_choose_examples = R"(
assay quality choose published --need "accuracy >= 0.8" --need "params <= 30"
assay quality choose quality.csv --need "shape_bias > 30%" --weights robustness --json
assay quality choose costs.csv --need "latency_ms <= 14" --weights gmacs=1,ood_auroc=2
)";

int quality_choose(std::vector<std::string> arguments) {
    auto app = make_app("quality choose",
                        "List models that meet the needs: those not significantly behind the best "
                        "score, and those that no other one beats in all dimensions.",
                        quality_choose_examples);
    QualityInput input;
    ChooseOptions options;
    Output output;
    input.add_to(*app);
    app->add_option("--need", options.needs,
                    "NAME >= NUMBER or NAME <= NUMBER: a dimension (parameters in millions) or a "
                    "column of numbers; repeatable")
        ->allow_extra_args(false)
        ->type_name("NEED");
    add_weights(*app, options.weights, true);
    add_column_options(*app, options.columns);
    add_level(*app, options.level);
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;
    options.where = input.where;
    QualityTable read;
    const Report report = report_of(choose_models(input.open(read, TableColumns::any), options));
    output.print(report);
    return report.partial ? Status::partial : Status::done;
}

constexpr std::string_view quality_stability_examples = R"(
assay quality stability published
assay quality stability published --sample 50 --repeats 200
)";

int quality_stability(std::vector<std::string> arguments) {
    auto app = make_app("quality stability",
                        "Show how much the ranking depends on the models whose means and "
                        "deviations centre and scale the dimensions.",
                        quality_stability_examples);
    QualityInput input;
    StabilityOptions options;
    Output output;
    input.add_to(*app);
    add_weights(*app, options.weights);
    app->add_option("--sample", options.sample, "Models of a sub-sample")
        ->type_name("N")
        ->capture_default_str();
    app->add_option("--repeats", options.repeats, "Sub-samples")
        ->check(CLI::Range(3, 1000000))
        ->type_name("N")
        ->capture_default_str();
    app->add_option("--trim", options.trim, "Proportion trimmed on each side of a dimension")
        ->check(CLI::Range(0.0, 0.49))
        ->type_name("P")
        ->capture_default_str();
    add_seed(*app, options.seed);
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;
    options.where = input.where;
    QualityTable read;
    output.print(report_of(ranking_stability(input.open(read), options)));
    return Status::done;
}

const std::vector<Command>& quality_parts() {
    static const std::vector<Command> table = {
        {"run", "Measure all nine dimensions of your models, from one assay.toml", quality_run},
        {"measure", "Measure the nine dimensions of classifiers from stored predictions",
         quality_measure},
        {"shape-bias", "Compute the shape bias of people from their answers", quality_shape_bias},
        {"score", "Compute one score from nine dimensions (QUBA), ranks, place among 326 models",
         quality_score},
        {"choose", "List models that meet your needs and that no other one beats", quality_choose},
        {"correlate", "Correlate the dimensions over models", quality_correlate},
        {"groups", "Compare two groups of models", quality_groups},
        {"stability", "Show how much a ranking depends on the models that scale it",
         quality_stability},
        {"merge", "Merge the rows of several tables", quality_merge},
    };
    return table;
}

constexpr std::string_view quality_help_examples = R"(
  assay quality run assay.toml
  assay quality score published --top 10
  assay quality choose published --need "accuracy >= 0.8" --need "params <= 30"
  assay quality correlate published --family paper
  assay quality merge quality.csv new.json -o quality.json
)";

}  // namespace

void add_level(CLI::App& app, double& level) {
    app.add_option("--level", level, "Confidence level of the intervals")
        ->check(CLI::Range(0.5, 0.9999))
        ->type_name("P")
        ->capture_default_str();
}

void add_seed(CLI::App& app, std::uint64_t& seed) {
    app.add_option("--seed", seed, "Seed of everything random")
        ->check(decimal_number())
        ->type_name("N")
        ->capture_default_str();
}

int cmd_quality(std::vector<std::string> arguments) {
    return run_part(
        "quality", "part", quality_parts(),
        "Measure nine quality dimensions of classifiers, and combine them into one score.",
        quality_help_examples, std::move(arguments));
}

}  // namespace assay::cli
