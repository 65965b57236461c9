// The size of a study from the files of a pilot.
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/replication/steps.h"
#include "core/parallel.h"
#include "replication/tables.h"

namespace assay::replication {
namespace {

Count images(double count) {
    return {static_cast<std::uint64_t>(count)};
}

Table plan_table(const PlanOutcome& outcome) {
    const PlanReport& plan = outcome.plan;
    Table table = empty_table(
        fmt::format(
            "For an interval {:.2f} points wide of one classifier's adjusted accuracy (level {})",
            100 * outcome.options.width, outcome.options.level),
        {{"annotators"},
         {"images in each set"},
         {"worst classifier"},
         {"s.e. now"},
         {"bias raw"},
         {"naive"},
         {"jackknife 1"},
         {"n/4"},
         {"moments"},
         {"exponents", false}});
    const auto bias = [](double x) {
        return Number{.value = x, .unit = Unit::proportion, .digits = 2, .sign = true};
    };
    for (const PlanRow& row : plan.rows) {
        table.add({Count{static_cast<std::uint64_t>(row.annotators)}, images(row.images),
                   images(row.worst_images),
                   Number{.value = row.standard_error, .unit = Unit::proportion, .digits = 2},
                   bias(row.raw_bias), bias(row.naive_bias), bias(row.jackknife_bias),
                   bias(row.quarter_bias), bias(row.moments_bias),
                   fmt::format("{}", fmt::join(row.exponents, ","))});
    }
    table.notes.push_back(fmt::format(
        "s.e. now: with the pilot's {} and {} images; design effect of classes {:.2f}; biases in "
        "points, of infinitely many images",
        count_text(plan.first_images), count_text(plan.second_images), plan.design_effect));
    table.notes.emplace_back(
        "few annotators allow few exponents: fewer images then make a narrow interval around a "
        "biased value");
    return table;
}

Table records(const PlanReport& plan) {
    Table table;
    for (const char* name : {"annotators", "images", "worst_images", "standard_error",
                             "worst_standard_error", "bias_none", "bias_naive", "bias_jackknife1",
                             "bias_jackknife_quarter", "bias_moments", "exponents"})
        table.columns.push_back({name});
    for (const PlanRow& row : plan.rows) {
        std::vector<Cell> cells{Count{static_cast<std::uint64_t>(row.annotators)},
                                images(row.images), images(row.worst_images)};
        for (const double value :
             {row.standard_error, row.worst_standard_error, row.raw_bias, row.naive_bias,
              row.jackknife_bias, row.quarter_bias, row.moments_bias})
            cells.emplace_back(Number{value, Unit::proportion});
        cells.emplace_back(fmt::format("{}", fmt::join(row.exponents, " ")));
        table.add(std::move(cells));
    }
    return table;
}

}  // namespace

PlanOutcome run_plan(const PlanStep& step, Comm& comm) {
    if (step.original_hits.empty() != step.replication_hits.empty()) {
        throw Error(ErrorCode::usage,
                    "hits on one set of the pilot alone: both or none are needed");
    }
    PlanOutcome outcome;
    outcome.options = step.plan;
    outcome.options.seed = step.annotations.seed;
    outcome.prepared = prepare_sets({step.original, step.replication}, step.annotations);
    const PreparedSets& prepared = outcome.prepared;
    if (step.original_hits.empty()) {
        outcome.plan = plan(prepared.sets[0], prepared.sets[1], outcome.options);
        return outcome;
    }
    const int threads = resolve_threads(step.threads);
    const Study pilot =
        join_study(prepared.sets[0], read_hits(step.original_hits, threads, comm), prepared.sets[1],
                   read_hits(step.replication_hits, threads, comm), prepared.names);
    outcome.partial = pilot.partial;
    outcome.plan = plan(pilot, outcome.options);
    return outcome;
}

Report report_of(const PlanOutcome& outcome) {
    Report report;
    report.sections.push_back({"", {plan_table(outcome)}, {}});
    report.records = records(outcome.plan);
    report.result = to_json(outcome.plan, outcome.options);
    report.result["annotations"] = to_json(outcome.prepared);
    report.warnings = outcome.prepared.warnings;
    report.warnings.insert(report.warnings.end(), outcome.plan.warnings.begin(),
                           outcome.plan.warnings.end());
    report.partial = outcome.partial;
    return report;
}

}  // namespace assay::replication
