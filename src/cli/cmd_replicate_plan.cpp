// assay replicate plan: from a pilot to the size of a study.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "assay/replication/plan.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/replicate_inputs.h"
#include "cli/table.h"
#include "core/json_text.h"

namespace assay::cli {
namespace {

using namespace replication;

constexpr std::string_view examples = R"(
assay replicate plan original.csv replication.csv --width 2
assay replicate plan original.csv replication.csv --hits a.csv b.csv --width 1.5 --annotators 10,20,40
)";

Table plan_table(const PlanReport& report, const PlanOptions& options) {
    Table table(
        {{"annotators", Align::right},
         {"images in each set", Align::right},
         {"worst classifier", Align::right},
         {"s.e. now", Align::right},
         {"bias raw", Align::right},
         {"naive", Align::right},
         {"jackknife 1", Align::right},
         {"n/4", Align::right},
         {"moments", Align::right},
         {"exponents"}},
        fmt::format(
            "For an interval {:.2f} points wide of one classifier's adjusted accuracy (level {})",
            100 * options.width, options.level));
    const auto points = [](double x) { return fmt::format("{:+.2f}", 100 * x); };
    for (const PlanRow& row : report.rows) {
        table.add({std::to_string(row.annotators),
                   count_text(static_cast<std::uint64_t>(row.images)),
                   count_text(static_cast<std::uint64_t>(row.worst_images)),
                   fmt::format("{:.2f}", 100 * row.standard_error), points(row.raw_bias),
                   points(row.naive_bias), points(row.jackknife_bias), points(row.quarter_bias),
                   points(row.moments_bias), fmt::format("{}", fmt::join(row.exponents, ","))});
    }
    table.footer(fmt::format(
        "s.e. now: with the pilot's {} and {} images; design effect of classes {:.2f}; biases in "
        "points, of infinitely many images",
        count_text(report.first_images), count_text(report.second_images), report.design_effect));
    table.footer(
        "few annotators allow few exponents: fewer images then make a narrow interval around a "
        "biased value");
    return table;
}

}  // namespace

int replicate_plan(std::vector<std::string> arguments) {
    auto app = make_app(
        "replicate plan",
        "From a pilot's annotations: how many images a study needs for an interval of the wanted "
        "width, by number of annotators, and the bias of each estimator there.",
        examples);
    std::filesystem::path first, second;
    std::vector<std::filesystem::path> hits;
    PlanOptions options;
    double width = 2;
    AnnotationFlags flags;
    Output output;
    app->add_option("original", first, "Annotations or frequencies of the original")
        ->required()
        ->type_name("CSV");
    app->add_option("replication", second, "Annotations or frequencies of the replication")
        ->required()
        ->type_name("CSV");
    app->add_option("--hits", hits, "Hits on both, as for adjust")->expected(2)->type_name("PATH");
    app->add_option("--width", width, "Wanted width of the interval, in points")
        ->capture_default_str()
        ->type_name("POINTS");
    app->add_option("--annotators", options.annotators, "Numbers of annotators to plan for")
        ->delimiter(',')
        ->capture_default_str()
        ->type_name("LIST");
    app->add_option("--level", options.level, "Confidence level")
        ->capture_default_str()
        ->type_name("P");
    flags.add_to(*app);
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;

    options.width = width / 100;
    options.seed = flags.seed;
    const PreparedSets prepared = prepare_sets({first, second}, flags);
    for (const std::string& text : prepared.warnings) warn(text);
    bool partial = false;
    PlanReport report;
    if (hits.empty()) {
        report = plan(prepared.sets[0], prepared.sets[1], options);
    } else {
        const Study pilot = join_study(prepared.sets[0], read_hits(hits[0], 1), prepared.sets[1],
                                       read_hits(hits[1], 1), prepared.names);
        partial = pilot.partial;
        report = plan(pilot, options);
    }
    for (const std::string& text : report.warnings) warn(text);
    if (output.json) {
        nlohmann::json out = to_json(report, options);
        out["annotations"] = to_json(prepared);
        output.write(json_text(out));
    } else if (output.csv)
        output.write(plan_table(report, options).csv());
    else
        output.write(plan_table(report, options)
                         .text(output.to_stdout() && stdout_is_terminal(), stdout_width()));
    return partial ? Status::partial : Status::done;
}

}  // namespace assay::cli
