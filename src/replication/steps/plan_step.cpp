// Computes the size of a study from the files of a pilot.
#include <array>
#include <cmath>
#include <set>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "assay/error.h"
#include "assay/replication/steps.h"
#include "core/parallel.h"
#include "core/result_table.h"
#include "replication/step_tables.h"

namespace assay::replication {
namespace {

/// Returns "12,300 (9,100 to 16,700)". A size is only approximate, so it is rounded.
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
        "in brackets: range for other pilots of {} and {} images (from tenths of the classes). "
        "s.e. now: for a median classifier in the pilot. Design effect of classes: {:.2f}",
        count_text(outcome.plan.first_images), count_text(outcome.plan.second_images),
        outcome.plan.design_effect));
    table.notes.emplace_back(
        "a curve that is fitted to a pilot is smoother than the true one. If accuracy rises "
        "steeply with the selection rate, intervals were 30 % wider than requested in simulated "
        "studies of the planned size");
    std::set<std::string> whys;
    for (const PlanRow& row : outcome.plan.rows) {
        for (const Estimate* size : {&row.images, &row.worst_images, &row.mean_images}) {
            if (!size->note.empty()) whys.insert(size->note);
            if (!size->undefined.empty()) whys.insert("–: " + size->undefined);
        }
    }
    table.notes.insert(table.notes.end(), whys.begin(), whys.end());
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
        "pl uses the planned images of a median classifier; the others use any number. The truth "
        "is assumed to be as smooth as pl's fit to the pilot, so steeper curves bias moments more");
    return table;
}

}  // namespace

PlanOutcome run_plan(const PlanStep& step, Comm& comm) {
    if (step.original_hits.empty() != step.replication_hits.empty()) {
        throw Error(ErrorCode::usage,
                    "hits exist for one set of the pilot only; pass hits for both sets or none");
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

ResultType result_type(ResultOf<PlanRow>) {
    using Of = PlanRow;
    static constexpr std::array<std::string_view, 6> estimators = {
        "none", "naive", "jackknife1", "jackknife_quarter", "moments", "pl"};
    static constexpr auto rows = describe_result<Of>(
        {.name = "PlanRow",
         .help = "The size of a study with this number of annotators per image",
         .columns = "annotators,images=images.value,images_low=images.interval.low,"
                    "images_high=images.interval.high,worst_images=worst_images.value,"
                    "mean_images=mean_images.value,standard_error=standard_error.value,"
                    "bias_none=bias.none.value,bias_naive=bias.naive.value,"
                    "bias_jackknife1=bias.jackknife1.value,"
                    "bias_jackknife_quarter=bias.jackknife_quarter.value,"
                    "bias_moments=bias.moments.value,bias_pl=bias.pl.value,exponents"},
        {
            part<&Of::annotators>({}),
            part<&Of::exponents>({.help = "Of the moments"}),
            part<&Of::images>({.help = "Images in each set, for the median classifier"}),
            part<&Of::worst_images>({.help = "Images for the classifier that needs most"}),
            part<&Of::mean_images>({.help = "Images for the mean over classifiers"}),
            part<&Of::standard_error>({.help = "Standard error with the pilot's images"}),
            part({.help = "By estimator", .name = "bias", .keys = estimators},
                 [](const Of& o) {
                     return std::array{o.raw_bias,     o.naive_bias,   o.jackknife_bias,
                                       o.quarter_bias, o.moments_bias, o.likelihood_bias};
                 }),
        });
    return rows;
}

ResultType result_type(ResultOf<PlanOutcome>) {
    using Of = PlanOutcome;
    static constexpr auto rows = describe_result<Of>(
        {.name = "ReplicatePlan",
         .help = "The size of a study, from a pilot",
         .schema = "assay.replicate_plan/3"},
        {
            part<&Of::options, &PlanOptions::width>({.help = "Wanted width of the interval"}),
            part<&Of::options, &PlanOptions::level>({}),
            part<&Of::plan, &PlanReport::design_effect>(
                {.help = "Variance of classes over that of independent images"}),
            part<&Of::plan, &PlanReport::assumed_curve>({.help = "True if the pilot has no hits"}),
            part<&Of::plan, &PlanReport::first_images>(
                {.name = "original", .group = "pilot_images"}),
            part<&Of::plan, &PlanReport::second_images>(
                {.name = "replication", .group = "pilot_images"}),
            part<&Of::plan, &PlanReport::warnings>({}),
            part<&Of::plan, &PlanReport::rows>({}),
            part<&Of::prepared>({.name = "annotations"}),
        });
    return rows;
}

Report report_of(const PlanOutcome& outcome) {
    Report report;
    report.sections.push_back({"", {size_table(outcome), bias_table(outcome)}, {}});
    report.records = table_of(outcome.plan.rows);
    report.result = to_json(outcome);
    report.warnings = outcome.prepared.warnings;
    report.warnings.insert(report.warnings.end(), outcome.plan.warnings.begin(),
                           outcome.plan.warnings.end());
    report.partial = outcome.partial;
    return report;
}

}  // namespace assay::replication
