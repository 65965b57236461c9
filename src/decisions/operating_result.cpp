#include <algorithm>

#include <fmt/format.h>

#include "assay/decisions/operating.h"
#include "assay/describe_result.h"
#include "core/result_table.h"
#include "decisions/described_decisions.h"
#include "decisions/store_notes.h"
#include "evaluate/short_threshold.h"

namespace assay {

using decisions::NetBenefit;
using decisions::OperatingPoint;
using decisions::OperatingResult;

ResultType result_type(ResultOf<OperatingPoint>) {
    using Of = OperatingPoint;
    static constexpr auto rows = describe_result<Of>(
        {.name = "OperatingPoint",
         .columns = "model,dataset,positive,rule,threshold,log_odds,chosen_on,positives,negatives,"
                    "prevalence,"
                    "sensitivity*,specificity*,ppv*,npv*,cost*,passed"},
        {part<&Of::model>({}), part<&Of::dataset>({}), part<&Of::positive>({.help = "The class"}),
         part<&Of::rule>({.help = "How the threshold was chosen"}),
         part<&Of::threshold>({.help = "An image is positive if its probability is at least this; "
                                       "null: no probability decides so, or log-odds were "
                                       "given"}),
         part<&Of::log_odds>({.help =
                                  "The same for the logit of the positive class minus the other "
                                  "one; null: the store has probabilities, or a probability was "
                                  "given"}),
         part<&Of::chosen_on>(
             {.help = "Number of images that chose the threshold; 0: it was given"}),
         part<&Of::positives>({.help = "Number of these among the other images"}),
         part<&Of::negatives>({.help = "Number of these among the other images"}),
         part<&Of::prevalence>({.help = "Prevalence for predictive values, cost and net benefit"}),
         part<&Of::sensitivity>({.help = "On the other images"}),
         part<&Of::specificity>({.help = "On the other images"}),
         part<&Of::ppv>({.help = "Positive predictive value at the prevalence"}),
         part<&Of::npv>({.help = "Negative predictive value at the prevalence"}),
         part<&Of::cost>({.help = "Per image at the prevalence"}),
         part<&Of::passed>({.help = "The gate of --require; null: none"})});
    return rows;
}

ResultType result_type(ResultOf<NetBenefit>) {
    using Of = NetBenefit;
    static constexpr auto rows = describe_result<Of>(
        {.name = "NetBenefit"},
        {part<&Of::model>({}), part<&Of::dataset>({}),
         part<&Of::threshold>(
             {.help = "Threshold of the probabilities, adjusted to the prevalence"}),
         part<&Of::benefit>({.help = "Per image at the prevalence, on all images"}),
         part<&Of::all_positive>({.help = "Net benefit of calling every image positive"}),
         part<&Of::sensitivity>({}), part<&Of::specificity>({})});
    return rows;
}

ResultType result_type(ResultOf<OperatingResult>) {
    using Of = OperatingResult;
    static constexpr auto rows = describe_result<Of>(
        {.name = "OperatingResult",
         .help = "What `assay decide` prints",
         .schema = "assay.decide/1"},
        {part<&Of::level>({.help = "Of the intervals"}), part<&Of::points>({}),
         part<&Of::benefits>({.help = "A row for each model and threshold of --at"}),
         part<&Of::not_scored>({.help = "Images without scores, which are skipped"}),
         part<&Of::notes>({}), part<&Of::warnings>({})});
    return rows;
}

namespace decisions {
namespace {

std::string where(const OperatingPoint& point) {
    return fmt::format("{} on {}", point.model, point.dataset);
}

Table point_table(const OperatingResult& result) {
    Table table;
    const OperatingPoint& first = result.points.front();
    const bool costs = std::ranges::any_of(
        result.points, [](const OperatingPoint& one) { return one.cost.value.has_value(); });
    const bool given = first.chosen_on == 0;
    table.title = given
                      ? fmt::format("The {}, tested on all images", first.rule)
                      : fmt::format("Threshold with {}, chosen on one part and tested on the other",
                                    first.rule);
    table.columns = {{"model", false},
                     {"data set", false},
                     {"threshold", true},
                     {"sensitivity %", true, Column::Show::value_and_interval},
                     {"specificity %", true, Column::Show::value_and_interval},
                     {"PPV %", true, Column::Show::value_and_interval},
                     {"NPV %", true, Column::Show::value_and_interval}};
    if (costs) table.columns.push_back({"cost per image", true, Column::Show::value_and_interval});
    for (const OperatingPoint& one : result.points) {
        std::vector<Cell> cells = {
            one.model,       one.dataset,     evaluate::text_of({one.threshold, one.log_odds}),
            one.sensitivity, one.specificity, one.ppv,
            one.npv};
        if (costs) cells.emplace_back(one.cost);
        table.add(std::move(cells));
    }
    std::vector<RowNote> images, prevalences;
    for (const OperatingPoint& one : result.points) {
        const std::vector<std::string> groups = {"", one.dataset, where(one)};
        images.push_back(
            {groups,
             fmt::format(
                 "the positive class is `{}`; {}tested on {} positive and {} "
                 "negative {}",
                 one.positive,
                 given ? "" : fmt::format("chosen on {} images, ", count_text(one.chosen_on)),
                 count_text(one.positives), count_text(one.negatives), given ? "images" : "ones")});
        prevalences.push_back({groups, fmt::format("predictive values{} and net benefit are at a "
                                                   "prevalence of {:.3g} % (--prevalence)",
                                                   costs ? ", costs" : "", 100 * one.prevalence)});
    }
    for (const auto* notes : {&images, &prevalences})
        for (const std::string& note : joined_notes(*notes)) table.notes.push_back(note);
    const auto odds = std::ranges::find_if(result.points, [](const OperatingPoint& one) {
        return evaluate::text_of({one.threshold, one.log_odds}).starts_with("log-odds");
    });
    if (odds != result.points.end())
        table.notes.push_back(fmt::format(
            "log-odds: the logit of the positive class minus the other one; to test them again: "
            "--threshold \"{}\"",
            evaluate::text_of({odds->threshold, odds->log_odds})));
    for (const std::string& note : result.notes) table.notes.push_back(note);
    for (const OperatingPoint& one : result.points) {
        if (one.passed)
            table.notes.push_back(
                fmt::format("{}: the gate {}", where(one), *one.passed ? "passed" : "FAILED"));
    }
    return table;
}

Table benefit_table(const OperatingResult& result) {
    Table table;
    table.title = "Net benefit per image (calling no image positive: 0)";
    table.columns = {{"model", false},
                     {"data set", false},
                     {"threshold", true},
                     {"net benefit", true, Column::Show::value_and_interval, true},
                     {"all positive", true},
                     {"sensitivity %", true, Column::Show::value_and_interval},
                     {"specificity %", true, Column::Show::value_and_interval}};
    for (const NetBenefit& one : result.benefits)
        table.add({one.model, one.dataset, fmt::format("{:g}", one.threshold), one.benefit,
                   Number{one.all_positive, Unit::number, 4, true}, one.sensitivity,
                   one.specificity});
    return table;
}

}  // namespace

Report report_of(const OperatingResult& result) {
    Report report;
    report.records = table_of(result.points);
    Section section;
    section.blocks.emplace_back(point_table(result));
    section.blocks.emplace_back(benefit_table(result));
    report.sections.push_back(std::move(section));
    report.result = json_of(result);
    report.warnings = result.warnings;
    report.partial = result.not_scored > 0 || result.refused > 0;
    return report;
}

}  // namespace decisions
}  // namespace assay
