// The size of a study from the files of a pilot.
#include <cmath>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "assay/error.h"
#include "assay/replication/steps.h"
#include "core/parallel.h"
#include "replication/tables.h"

namespace assay::replication {
namespace {

/// "12,300 (9,100 to 16,700)": a size is known to a factor, not to some images.
std::string size_text(const Estimate& size) {
    if (!size.value) return "–";
    const auto rounded = [](double x) {
        const double unit =
            std::pow(10, std::max(0.0, std::floor(std::log10(std::max(x, 1.0))) - 1));
        return count_text(static_cast<std::uint64_t>(std::llround(x / unit) * std::llround(unit)));
    };
    const std::string text = rounded(*size.value);
    if (!size.interval) return text;
    return fmt::format("{} ({} to {})", text, rounded(size.interval->low),
                       rounded(std::min(size.interval->high, 1e12)));
}

Table size_table(const PlanOutcome& outcome) {
    Table table = empty_table(
        fmt::format("Images in each set for an interval {:.2f} points wide (pl, level {})",
                    100 * outcome.options.width, outcome.options.level),
        {{"annotators"},
         {"a median classifier"},
         {"the classifier that needs most"},
         {"the mean"},
         {"s.e. now", true, Column::Show::value_and_half}});
    for (const PlanRow& row : outcome.plan.rows) {
        table.add({Count{static_cast<std::uint64_t>(row.annotators)}, size_text(row.images),
                   size_text(row.worst_images), size_text(row.mean_images), row.standard_error});
    }
    table.notes.push_back(fmt::format(
        "in brackets: what other pilots of {} and {} images might have said (from leaving out "
        "tenths "
        "of the classes); s.e. now: of a median classifier in the pilot; design effect of classes "
        "{:.2f}",
        count_text(outcome.plan.first_images), count_text(outcome.plan.second_images),
        outcome.plan.design_effect));
    table.notes.emplace_back(
        "a curve fitted to a pilot is smoother than the true one: where accuracy rises steeply "
        "with "
        "the selection rate, simulated studies of the planned size got intervals 30 % wider "
        "than "
        "was asked for");
    for (const PlanRow& row : outcome.plan.rows) {
        if (row.images.note.empty()) continue;
        table.notes.push_back(row.images.note);
        break;
    }
    return table;
}

Table bias_table(const PlanOutcome& outcome) {
    Table table = empty_table("Bias to expect, in points",
                              {{"annotators"},
                               {"raw", true, Column::Show::value_and_half},
                               {"naive", true, Column::Show::value_and_half},
                               {"jackknife 1", true, Column::Show::value_and_half},
                               {"n/4", true, Column::Show::value_and_half},
                               {"moments", true, Column::Show::value_and_half},
                               {"pl", true, Column::Show::value_and_half},
                               {"exponents", false}});
    for (const PlanRow& row : outcome.plan.rows) {
        table.add({Count{static_cast<std::uint64_t>(row.annotators)}, row.raw_bias, row.naive_bias,
                   row.jackknife_bias, row.quarter_bias, row.moments_bias, row.likelihood_bias,
                   fmt::format("{}", fmt::join(row.exponents, ","))});
    }
    table.notes.emplace_back(
        "of pl with the planned images of a median classifier, of the others with any number; the "
        "truth is taken to be as smooth as pl finds the pilot, so steeper curves bias moments "
        "more");
    return table;
}

Table records(const PlanReport& plan) {
    Table table;
    for (const char* name :
         {"annotators", "images", "images_low", "images_high", "worst_images", "mean_images",
          "standard_error", "bias_none", "bias_naive", "bias_jackknife1", "bias_jackknife_quarter",
          "bias_moments", "bias_pl", "exponents"})
        table.columns.push_back({name});
    const auto number = [](const std::optional<double>& x) {
        return x ? Cell(Number{*x}) : Cell();
    };
    for (const PlanRow& row : plan.rows) {
        const auto& interval = row.images.interval;
        std::vector<Cell> cells{Count{static_cast<std::uint64_t>(row.annotators)},
                                number(row.images.value),
                                interval ? Cell(Number{interval->low}) : Cell(),
                                interval ? Cell(Number{interval->high}) : Cell(),
                                number(row.worst_images.value),
                                number(row.mean_images.value)};
        for (const Estimate* figure :
             {&row.standard_error, &row.raw_bias, &row.naive_bias, &row.jackknife_bias,
              &row.quarter_bias, &row.moments_bias, &row.likelihood_bias})
            cells.push_back(number(figure->value));
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
    outcome.options.threads = step.threads;
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
    report.sections.push_back({"", {size_table(outcome), bias_table(outcome)}, {}});
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
