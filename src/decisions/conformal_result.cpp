#include <algorithm>

#include <fmt/format.h>

#include "assay/decisions/conformal.h"
#include "assay/describe_result.h"
#include "core/result_table.h"
#include "core/text.h"
#include "decisions/described_decisions.h"
#include "decisions/set_row.h"
#include "decisions/store_notes.h"
#include "evaluate/threshold_text.h"

namespace assay {

using decisions::Abstention;
using decisions::ConformalResult;
using decisions::ConformalSets;

ResultType result_type(ResultOf<ConformalSets>) {
    using Of = ConformalSets;
    static constexpr auto rows = describe_result<Of>(
        {.name = "ConformalSets",
         .columns = "model,dataset,calibrated_on,method,calibration,threshold,infinite_classes,"
                    "coverage=coverage.value,coverage_low=coverage.interval.low,"
                    "coverage_high=coverage.interval.high,size=size.value,"
                    "size_low=size.interval.low,size_high=size.interval.high,empty,one,largest,"
                    "one_correct=one_correct.value"},
        {part<&Of::model>({}), part<&Of::dataset>({}),
         part<&Of::calibrated_on>({.help = "Data set, or the proportion of it"}),
         part<&Of::method>({}), part<&Of::calibration>({.help = "Images to calibrate on"}),
         part<&Of::threshold>(
             {.help = "Largest score of a class in a set; null: infinite, or one for each class"}),
         part<&Of::infinite_classes>(
             {.help = "Classes with too few calibration images, if each class has a threshold"}),
         part<&Of::expected>({.help = "Range of the coverage for most calibration samples of this "
                                      "size (`level`); up to 1 if scores are tied"}),
         part<&Of::coverage>({.help = "Proportion of the other images whose set holds a valid "
                                      "class"}),
         part<&Of::size>({.help = "Mean number of classes in a set"}),
         part<&Of::empty>({.help = "Sets of no class"}),
         part<&Of::one>({.help = "Sets of one class"}),
         part<&Of::largest>({.help = "Classes of the largest set"}),
         part<&Of::one_correct>({.help = "Proportion of the sets of one class that is valid"})});
    return rows;
}

ResultType result_type(ResultOf<Abstention>) {
    using Of = Abstention;
    static constexpr auto rows = describe_result<Of>(
        {.name = "Abstention", .columns = "max_error,answered_above=threshold,answered*,error*"},
        {part<&Of::model>({}), part<&Of::dataset>({}), part<&Of::calibrated_on>({}),
         part<&Of::max_error>({}), part<&Of::calibration>({.help = "Images to calibrate on"}),
         part<&Of::threshold>({.help = "An image is answered if its confidence is above this; -1: "
                                       "all are; null: no threshold is safe"}),
         part<&Of::answered>({.help = "Proportion of the other images"}),
         part<&Of::error>({.help = "Among the answers"})});
    return rows;
}

ResultType result_type(ResultOf<ConformalResult>) {
    using Of = ConformalResult;
    static constexpr auto rows = describe_result<Of>(
        {.name = "ConformalResult",
         .help = "What `assay conformal` prints",
         .schema = "assay.conformal/1"},
        {part<&Of::alpha>({}), part<&Of::level>({.help = "Of the intervals"}),
         part<&Of::class_conditional>({}), part<&Of::randomized>({}), part<&Of::sets>({}),
         part<&Of::abstentions>({.help = "With --max-error"}),
         part<&Of::not_scored>({.help = "Images without scores, which are skipped"}),
         part<&Of::notes>({}), part<&Of::warnings>({})});
    return rows;
}

ResultType result_type(ResultOf<decisions::SetRow>) {
    using Of = decisions::SetRow;
    static constexpr auto rows = describe_result<Of>(
        {.name = "SetRow", .columns = "model,dataset,method,id,part,draw,size,covered,classes"},
        {part<&Of::model>({}), part<&Of::dataset>({}), part<&Of::method>({}), part<&Of::id>({}),
         part<&Of::part>({}), part<&Of::draw>({}), part<&Of::size>({}), part<&Of::covered>({}),
         part<&Of::classes>({})});
    return rows;
}

namespace decisions {
namespace {

std::string_view word_of(SetMethod method) {
    return words_of(method)[static_cast<std::size_t>(method)].second;
}

std::vector<std::string> groups_of(const ConformalSets& sets) {
    const std::string_view method = word_of(sets.method);
    return {"",
            std::string(method),
            sets.dataset,
            fmt::format("{} on {}", method, sets.dataset),
            fmt::format("{} on {}", sets.model, sets.dataset),
            fmt::format("{} of {} on {}", method, sets.model, sets.dataset)};
}

std::string expected_text(const ConformalSets& sets) {
    if (!sets.expected) return {};
    const std::string range = sets.expected->high < 1
                                  ? fmt::format("lies between {:.1f} % and {:.1f} %",
                                                100 * sets.expected->low, 100 * sets.expected->high)
                                  : fmt::format("is at least {:.1f} %", 100 * sets.expected->low);
    return fmt::format(
        "with {} calibration images, coverage {} for {:g} % of all calibration samples",
        count_text(sets.calibration), range, 100 * sets.expected->level);
}

Table set_table(const ConformalResult& result) {
    Table table;
    table.title =
        fmt::format("Prediction sets that hold a valid class for {:g} % of the images{}",
                    100 * (1 - result.alpha), result.class_conditional ? " of each class" : "");
    table.columns = {{"model", false},
                     {"data set", false},
                     {"method", false},
                     {"coverage %", true, Column::Show::value_and_interval},
                     {"classes per set", true, Column::Show::value_and_interval},
                     {"one class %", true},
                     {"empty %", true},
                     {"threshold", true}};
    for (const ConformalSets& one : result.sets) {
        const auto n = static_cast<double>(one.coverage.n);
        Cell threshold = one.threshold ? Cell(evaluate::threshold_text(*one.threshold))
                                       : Cell(result.class_conditional ? "by class" : "infinite");
        table.add({one.model, one.dataset, std::string(word_of(one.method)), one.coverage, one.size,
                   Number{static_cast<double>(one.one) / n, Unit::proportion, 1},
                   Number{static_cast<double>(one.empty) / n, Unit::proportion, 1},
                   std::move(threshold)});
    }
    std::vector<RowNote> images, ranges;
    for (const ConformalSets& one : result.sets) {
        images.push_back(
            {groups_of(one), fmt::format("calibrated on {} ({}), measured on {}",
                                         how_many(one.calibration, "image"), one.calibrated_on,
                                         how_many(one.coverage.n, "other"))});
        ranges.push_back({groups_of(one), expected_text(one)});
    }
    for (const auto* notes : {&images, &ranges})
        for (const std::string& note : joined_notes(*notes)) table.notes.push_back(note);
    if (std::ranges::any_of(result.sets, [](const ConformalSets& one) {
            return one.method == SetMethod::lac && one.threshold;
        }))
        table.notes.emplace_back(
            "lac: a class is in the set if 1 - its probability is at most the threshold");
    for (const std::string& note : result.notes) table.notes.push_back(note);
    return table;
}

/// The abstention is one for all methods of a store.
Table records_of(const ConformalResult& result) {
    if (result.abstentions.empty()) return table_of(result.sets);
    Table table = result_table<ConformalSets, Abstention>();
    const std::size_t methods = result.sets.size() / result.abstentions.size();
    for (std::size_t i = 0; i < result.sets.size(); ++i)
        add_row(table, result.sets[i], result.abstentions[i / methods]);
    return table;
}

Table abstention_table(const ConformalResult& result) {
    Table table;
    table.title = fmt::format("Answers above a confidence, with an error of at most {:g} %",
                              100 * result.abstentions.front().max_error);
    table.columns = {{"model", false},
                     {"data set", false},
                     {"confidence above", true},
                     {"answered %", true, Column::Show::value_and_interval},
                     {"error %", true, Column::Show::value_and_interval}};
    for (const Abstention& one : result.abstentions) {
        Cell threshold = !one.threshold       ? Cell("none is safe")
                         : *one.threshold < 0 ? Cell("all answered")
                                              : Cell(evaluate::threshold_text(*one.threshold));
        table.add({one.model, one.dataset, std::move(threshold), one.answered, one.error});
    }
    table.notes.push_back(fmt::format(
        "the threshold keeps the error at or below the bound for {:g} % of all calibration samples",
        100 * result.level));
    return table;
}

}  // namespace

Report report_of(const ConformalResult& result) {
    Report report;
    report.records = records_of(result);
    Section section;
    section.blocks.emplace_back(set_table(result));
    if (!result.abstentions.empty()) section.blocks.emplace_back(abstention_table(result));
    report.sections.push_back(std::move(section));
    report.result = json_of(result);
    report.warnings = result.warnings;
    report.partial = result.not_scored > 0 || result.refused > 0;
    return report;
}

}  // namespace decisions
}  // namespace assay
