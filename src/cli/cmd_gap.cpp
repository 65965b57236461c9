// assay gap: the same models on two data sets; how much of the fall label counts explain.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/evaluate/gap.h"
#include "assay/store/prediction_store.h"
#include "cli/command.h"
#include "cli/gap_text.h"
#include "cli/progress.h"
#include "cli/scoring.h"
#include "cli/table.h"
#include "core/json_text.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view examples = R"(
assay gap runs/imagenet-v1 runs/imagenet-v2 --labels1 real.json --labels2 v2-labels.csv
assay gap v1 v2 --runs runs --mark resnet50
assay gap runs/v1 runs/v2 --subgroups present --agreement jaccard --json -o gap.json
assay gap --table published.csv --all
)";

// A folder as it is, else a data set's name below --runs.
fs::path folder_of(const std::string& argument, const fs::path& runs) {
    std::error_code ignored;
    if (!runs.empty() && !fs::is_directory(runs, ignored))
        throw Error(ErrorCode::usage, fmt::format("--runs `{}` is no folder", runs.string()));
    if (!runs.empty() && fs::is_directory(runs / argument, ignored)) return runs / argument;
    if (fs::is_directory(argument, ignored)) return argument;
    if (runs.empty()) {
        throw Error(
            ErrorCode::usage,
            fmt::format("`{}` is no folder; name RUNS/DATA_SET, or the data set with --runs RUNS",
                        argument));
    }
    std::vector<std::string> names;
    for (const fs::path& store : find_stores(runs)) {
        const std::string name = store.parent_path().filename().string();
        if (names.empty() || names.back() != name)
            names.push_back(name);  // the stores of a data set come together
    }
    throw Error(ErrorCode::usage, fmt::format("no data set `{}` in `{}`{}", argument, runs.string(),
                                              suggest(argument, names)));
}

GapSide side_of(const std::string& argument, const fs::path& runs, const fs::path& labels) {
    const fs::path folder = folder_of(argument, runs);
    GapSide side;
    side.stores = find_stores(folder);
    for (const fs::path& store : side.stores) {
        if (store.parent_path() == side.stores[0].parent_path()) continue;
        throw Error(ErrorCode::usage,
                    fmt::format("`{}` holds several data sets; name one of them, e.g. `{}`",
                                folder.string(), side.stores[0].parent_path().string()));
    }
    const PredictionStore store = PredictionStore::open(side.stores[0]);
    side.name = store.spec().dataset_name;
    if (!labels.empty()) {
        side.sets =
            read_label_sets(labels, store.dataset(), store.dataset().classes, &side.unnamed);
        warn_of_unnamed(side.unnamed, store.rows(), labels);
    }
    return side;
}

struct Arguments {
    std::vector<std::string> sets;
    fs::path runs, labels1, labels2, table;
    std::string subgroups = "1-5", agreement = "recall", unit = "auto";
    std::uint64_t n1 = 0, n2 = 0;
    double margin = 1;
};

TableUnit unit_named(const std::string& text) {
    return text == "percent" ? TableUnit::percent
           : text == "share" ? TableUnit::share
                             : TableUnit::automatic;
}

GapReport from_table(const Arguments& arguments, const GapOptions& options) {
    if (arguments.sets.size() != 0 && arguments.sets.size() != 2)
        throw Error(ErrorCode::usage,
                    "with --table, name both data sets (for the headings) or none");
    if (!arguments.runs.empty() || !arguments.labels1.empty() || !arguments.labels2.empty())
        throw Error(
            ErrorCode::usage,
            "--table reads published values: --runs, --labels1 and --labels2 are for stores");
    const GapTable table = read_gap_table(arguments.table, unit_named(arguments.unit));
    if (arguments.unit == "auto")
        note(fmt::format("{}: taken as {}", arguments.table.string(),
                         table.percent ? "percent" : "shares"));
    if (!table.ignored.empty()) {
        constexpr std::size_t named = 12;
        const auto end = table.ignored.begin() +
                         static_cast<std::ptrdiff_t>(std::min(named, table.ignored.size()));
        const std::size_t more = table.ignored.size() - std::min(named, table.ignored.size());
        note(fmt::format("columns that were not used: {}{}",
                         fmt::join(table.ignored.begin(), end, ", "),
                         more > 0 ? fmt::format(" and {} more", more) : ""));
    }
    std::array<std::string, 2> names{"V1", "V2"};
    if (arguments.sets.size() == 2) names = {arguments.sets[0], arguments.sets[1]};
    std::array<std::optional<std::uint64_t>, 2> images;
    if (arguments.n1 > 0) images[0] = arguments.n1;
    if (arguments.n2 > 0) images[1] = arguments.n2;
    return gap_of_table(table, names, options, images);
}

GapReport from_stores(const Arguments& arguments, const GapOptions& options) {
    if (arguments.sets.size() != 2)
        throw Error(ErrorCode::usage,
                    "two data sets are needed: assay gap RUNS/V1 RUNS/V2, or --table FILE");
    if (arguments.n1 > 0 || arguments.n2 > 0)
        throw Error(ErrorCode::usage, "--n1 and --n2 belong to --table: stores know their images");
    const GapSide first = side_of(arguments.sets[0], arguments.runs, arguments.labels1);
    GapSide second = side_of(arguments.sets[1], arguments.runs, arguments.labels2);
    if (first.stores[0].parent_path() == second.stores[0].parent_path())
        throw Error(ErrorCode::usage,
                    fmt::format("both are `{}`", first.stores[0].parent_path().string()));
    if (first.name == second.name) second.name += " (2)";
    ProgressLine progress("gap", "scores");
    GapReport report =
        gap_of_stores(first, second, options, [&](std::uint64_t done_now, std::uint64_t total) {
            progress.update({.done = done_now, .total = total});
        });
    progress.finish();
    return report;
}

}  // namespace

int cmd_gap(std::vector<std::string> arguments) {
    auto app = make_app(
        "gap",
        "Compare two data sets through the same models: top-1, ReaL and ASMA on both, their gaps, "
        "the models' ranks, and how much of the top-1 gap the label counts explain. Status 3: some "
        "items have no scores.",
        examples);
    Arguments given;
    GapOptions options;
    GapShown shown;
    Output output;
    app->add_option("sets", given.sets,
                    "Two data sets: RUNS/V1 RUNS/V2, or their names with --runs")
        ->expected(0, 2)
        ->type_name("V1 V2");
    app->add_option("--runs", given.runs,
                    "Folder of the runs: V1 and V2 are names of data sets in it")
        ->type_name("RUNS");
    app->add_option("--labels1", given.labels1,
                    "Label sets of V1 for ReaL and ASMA (json, csv, npy); top-1 keeps its own")
        ->type_name("FILE");
    app->add_option("--labels2", given.labels2, "The same for V2")->type_name("FILE");
    app->add_option("--table", given.table,
                    "Published results instead of stores: csv with model, top1_v1, top1_v2, "
                    "real_v1, ... asma_v2")
        ->type_name("FILE");
    app->add_option("--unit", given.unit, "Of --table: percent, share, or auto")
        ->check(CLI::IsMember({"auto", "percent", "share"}))
        ->capture_default_str();
    app->add_option("--n1", given.n1, "Images that --table's top-1 was measured on, for intervals")
        ->type_name("N");
    app->add_option("--n2", given.n2, "The same for V2")->type_name("N");
    app->add_option("--subgroups", given.subgroups,
                    "Label counts that ASMA averages over: 1-5, 2,3,4,6,9, or present (those that "
                    "both have)")
        ->type_name("LIST")
        ->capture_default_str();
    app->add_option("--agreement", given.agreement,
                    "Of the g best classes with g labels: recall, jaccard, or hamming (as the "
                    "papers print it; above "
                    "0.98 for any answer at all when there are 1000 classes)")
        ->capture_default_str();
    app->add_option("--pool-above", options.pooled_above,
                    "Label counts above this are one group in the decomposition")
        ->check(CLI::Range(1, 64))
        ->capture_default_str();
    app->add_option("--margin", given.margin, "Models with a smaller |gap| are counted, in points")
        ->check(CLI::Range(0.0, 100.0))
        ->capture_default_str();
    app->add_option("--mark", options.marked,
                    "Show this model's line beside the box plots; repeatable")
        ->type_name("MODEL")
        ->allow_extra_args(false);
    app->add_option("--top", options.top, "Models listed as the best by ASMA")
        ->capture_default_str();
    app->add_flag("--all", shown.all_models, "Every model in the table, not the first 20");
    app->add_option("--level", options.level, "Confidence level of the intervals")
        ->check(CLI::Range(0.5, 0.9999))
        ->capture_default_str();
    app->add_option("--bootstrap", options.replicates,
                    "Replicates for ranks and rank correlations; 0: no intervals")
        ->check(CLI::Range(0, 100'000))
        ->capture_default_str();
    app->add_option("--seed", options.seed, "Seed of the bootstrap")
        ->check(decimal_number())
        ->capture_default_str();
    app->add_option("-j,--threads", options.threads, "Threads (default: all cores)")
        ->check(CLI::NonNegativeNumber);
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;

    options.present = given.subgroups == "present";
    if (!options.present) options.subgroups = parse_subgroups(given.subgroups);
    options.agreement = set_agreement_named(given.agreement);
    options.margin = given.margin / 100;
    const GapReport report =
        given.table.empty() ? from_stores(given, options) : from_table(given, options);
    for (const std::string& text : report.warnings) warn(text);
    if (output.json) {
        output.write(json_text(to_json(report)));
    } else if (output.csv) {
        output.write(gap_csv(report));
    } else {
        const bool terminal = output.to_stdout() && stdout_is_terminal();
        shown.colour = terminal;
        shown.width = terminal ? stdout_width() : 0;
        output.write(gap_text(report, shown));
    }
    return report.partial ? Status::partial : Status::done;
}

}  // namespace assay::cli
