#include <fmt/format.h>

#include "assay/decisions/methods.h"
#include "assay/describe_result.h"
#include "core/result_table.h"
#include "core/text.h"
#include "decisions/described_decisions.h"

namespace assay {

using decisions::MethodComparison;
using decisions::MethodDifference;
using decisions::MethodRun;
using decisions::TrainedMethod;

ResultType result_type(ResultOf<MethodRun>) {
    using Of = MethodRun;
    static constexpr auto rows = describe_result<Of>(
        {.name = "MethodRun"},
        {part<&Of::method>({}),
         part<&Of::seed>({.help = "What the wildcards of the pattern match"}), part<&Of::store>({}),
         part<&Of::accuracy>({.help = "Accuracy of this run over the images"})});
    return rows;
}

ResultType result_type(ResultOf<TrainedMethod>) {
    using Of = TrainedMethod;
    static constexpr auto rows = describe_result<Of>(
        {.name = "TrainedMethod"},
        {part<&Of::method>({}), part<&Of::runs>({}),
         part<&Of::accuracy>({.help = "Accuracy to expect of a new run on new images"}),
         part<&Of::spread>({.help = "Standard deviation of the runs' accuracies"}),
         part<&Of::spread_of_runs>(
             {.help = "Standard deviation without the part that the number of images explains"})});
    return rows;
}

ResultType result_type(ResultOf<MethodDifference>) {
    using Of = MethodDifference;
    static constexpr auto rows = describe_result<Of>(
        {.name = "MethodDifference",
         .columns = "baseline,candidate,paired,difference=difference.value,"
                    "low=difference.interval.low,high=difference.interval.high,"
                    "these_runs_low=these_runs.interval.low,"
                    "these_runs_high=these_runs.interval.high,"
                    "next_run_low=next_run.interval.low,next_run_high=next_run.interval.high,"
                    "from_runs,runs_needed"},
        {part<&Of::baseline>({}), part<&Of::candidate>({}),
         part<&Of::paired>({.help = "Run by run, because both have the same seeds"}),
         part<&Of::difference>(
             {.help = "Candidate minus baseline, for new training runs on new images"}),
         part<&Of::these_runs>(
             {.help = "The difference of these runs, with its interval for new images"}),
         part<&Of::next_run>({.help = "The difference of one new run of each method, with its "
                                      "interval on as many new images"}),
         part<&Of::from_runs>({.help = "Proportion of the variance that more runs reduce"}),
         part<&Of::runs_needed>({.help = "Per method, for the wanted width; null: more runs alone "
                                         "do not reach it, or no width is wanted"})});
    return rows;
}

ResultType result_type(ResultOf<MethodComparison>) {
    using Of = MethodComparison;
    static constexpr auto rows = describe_result<Of>(
        {.name = "MethodComparison",
         .help = "What `assay compare --method` prints",
         .schema = "assay.methods/1"},
        {part<&Of::dataset>({}), part<&Of::images>({}),
         part<&Of::left_out>(
             {.help = "Images without a valid class, or without scores of every run"}),
         part<&Of::not_scored>({.help = "Of these, images without scores of some run"}),
         part<&Of::level>({}), part<&Of::within>({.help = "Wanted half of an interval; 0: none"}),
         part<&Of::methods>({.help = "The first is the baseline"}), part<&Of::differences>({}),
         part<&Of::runs>({}), part<&Of::notes>({}), part<&Of::warnings>({})});
    return rows;
}

namespace decisions {
namespace {

Table accuracy_table(const MethodComparison& result) {
    Table table;
    table.title = fmt::format("Accuracy on {} images of {}, expected of a new training run",
                              count_text(result.images), result.dataset);
    table.columns = {{"method", false},
                     {"runs", true},
                     {"accuracy %", true, Column::Show::value_and_interval},
                     {"SD of runs %", true},
                     {"without images' part %", true}};
    for (const TrainedMethod& one : result.methods)
        table.add({one.method, Count{one.runs}, one.accuracy,
                   Number{one.spread, Unit::proportion, 2},
                   Number{one.spread_of_runs, Unit::proportion, 2}});
    if (result.left_out > 0)
        table.notes.push_back(fmt::format("{} skipped: no valid class, or no scores of some run",
                                          how_many(result.left_out, "image", "images")));
    return table;
}

Table difference_table(const MethodComparison& result) {
    Table table;
    table.title = fmt::format("Difference from {}, in points", result.methods.front().method);
    table.columns = {{"candidate", false},
                     {"new runs, new images", true, Column::Show::value_and_interval, true},
                     {"these runs, new images", true, Column::Show::interval, true},
                     {"one new run of each", true, Column::Show::interval, true},
                     {"variance from runs %", true}};
    for (const MethodDifference& one : result.differences)
        table.add({one.candidate, one.difference, one.these_runs, one.next_run,
                   Number{one.from_runs, Unit::proportion, 0}});
    for (const std::string& note : result.notes) table.notes.push_back(note);
    for (const MethodDifference& one : result.differences) {
        if (result.within <= 0) continue;
        const std::string wanted =
            fmt::format("{}: an interval of {:g} {} to each side", one.candidate,
                        100 * result.within, 100 * result.within == 1 ? "point" : "points");
        table.notes.push_back(
            one.runs_needed
                ? fmt::format("{} needs about {} of each method", wanted,
                              how_many(*one.runs_needed, "training run", "training runs"))
                : fmt::format("{} needs more images: more training runs alone do not reach it",
                              wanted));
    }
    return table;
}

Table run_table(const MethodComparison& result) {
    Table table;
    table.title = "Training runs";
    table.columns = {{"method", false},
                     {"seed", false},
                     {"accuracy %", true, Column::Show::value_and_interval},
                     {"store", false}};
    for (const MethodRun& one : result.runs)
        table.add({one.method, one.seed, one.accuracy, one.store.string()});
    return table;
}

}  // namespace

Report report_of(const MethodComparison& result) {
    Report report;
    report.records = table_of(result.differences);
    Section section;
    section.blocks.emplace_back(difference_table(result));
    section.blocks.emplace_back(accuracy_table(result));
    section.blocks.emplace_back(run_table(result));
    report.sections.push_back(std::move(section));
    report.result = json_of(result);
    report.warnings = result.warnings;
    report.partial = result.not_scored > 0;
    for (const TrainedMethod& one : result.methods)
        report.values.push_back({{result.dataset, one.method, "accuracy"}, one.accuracy});
    for (const MethodDifference& one : result.differences)
        report.values.push_back({{result.dataset, one.candidate, "difference"}, one.difference});
    return report;
}

}  // namespace decisions
}  // namespace assay
