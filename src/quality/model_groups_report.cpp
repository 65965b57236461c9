// The report on differences between groups of models.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "core/result_table.h"
#include "core/text.h"
#include "quality/described_quality.h"

namespace assay::quality {

ResultType result_type(ResultOf<PublishedTest>) {
    static constexpr auto rows = describe_result<PublishedTest>(
        {.name = "PublishedTest",
         .help = "Student's test with a pooled variance over the distinct models",
         .columns = "p_student,stars"},
        {
            part<&PublishedTest::p>({.name = "p_student"}),
            part<&PublishedTest::stars>({.help = "1 below .2, 2 below .1, 3 below .05"}),
        });
    return rows;
}

ResultType result_type(ResultOf<GroupDifference>) {
    static constexpr auto rows = describe_result<GroupDifference>(
        {.name = "GroupDifference",
         .help = "How two groups of models differ in one dimension",
         .columns = "dimension,first*,second*,difference*,effect*,p,p_holm"},
        {
            part<&GroupDifference::dimension, &ColumnName::name>({.name = "dimension"}),
            part<&GroupDifference::first>({.help = "Mean of the first group"}),
            part<&GroupDifference::second>({}),
            part<&GroupDifference::difference>(
                {.help = "Difference: the second mean minus the first"}),
            part<&GroupDifference::effect>({.help = "The difference in standard deviations"}),
            part<&GroupDifference::p>({.help = "Two-sided p-value of a permutation test"}),
            part<&GroupDifference::adjusted>(
                {.help = "Adjusted with Holm's method over the dimensions", .name = "p_holm"}),
            part<&GroupDifference::published>({.inlined = true}),
        });
    return rows;
}

ResultType result_type(ResultOf<GroupResult>) {
    static constexpr auto rows = describe_result<GroupResult>(
        {.name = "QualityGroups",
         .help = "Comparison of two groups of models",
         .schema = "assay.quality_groups/1"},
        {
            part<&GroupResult::options, &GroupOptions::first>({.help = "Selectors"}),
            part<&GroupResult::options, &GroupOptions::second>({.help = "Selectors"}),
            part<&GroupResult::first_models>({.help = "Number of distinct models"}),
            part<&GroupResult::second_models>({}),
            part<&GroupResult::options, &GroupOptions::paired>({}),
            part<&GroupResult::options, &GroupOptions::family>(
                {.help = "The tag whose values are families of pairs"}),
            part<&GroupResult::clusters>({.help = "Of pairs"}),
            part<&GroupResult::exact>({.help = "True if all exchanges were counted, not sampled"}),
            part<&GroupResult::dimensions>({}),
            part<&GroupResult::notes>({}),
            part<&GroupResult::warnings>({}),
        });
    return rows;
}

Report report_of(const GroupResult& result) {
    using Show = Column::Show;
    Report report;
    report.title = "Two groups of models";
    report.warnings = result.warnings;
    Table table;
    table.title =
        fmt::format("{} against {}", how_many(result.first_models, "model"), result.second_models);
    table.columns = {{.name = "dimension", .numbers = false},
                     {.name = "first", .show = Show::value_and_half},
                     {.name = "second", .show = Show::value_and_half},
                     {.name = "difference", .show = Show::value_and_interval, .sign = true},
                     {.name = "effect", .show = Show::value_and_half, .sign = true},
                     {.name = "p"},
                     {.name = "p (Holm)"}};
    if (result.options.published_test) {
        table.columns.push_back({.name = "p (Student)"});
        table.columns.push_back({.name = "stars", .numbers = false});
    }
    report.records = result.options.published_test ? result_table<GroupDifference, PublishedTest>()
                                                   : result_table<GroupDifference>();
    for (const GroupDifference& d : result.dimensions) {
        std::vector<Cell> cells = {d.dimension.title, d.first,     d.second,          d.difference,
                                   d.effect,          PValue{d.p}, PValue{d.adjusted}};
        if (d.published) {
            cells.emplace_back(PValue{d.published->p});
            cells.emplace_back(std::string(static_cast<std::size_t>(d.published->stars), '*'));
            add_row(report.records, d, *d.published);
        } else {
            add_row(report.records, d);
        }
        table.add(std::move(cells));
    }
    table.notes.push_back(
        fmt::format("effect: the difference in standard deviations{}; p: {} permutations.",
                    result.options.paired ? " of the pairs' differences" : "",
                    result.exact ? "all" : "random"));
    for (const std::string& note : result.notes) table.notes.push_back(note + ".");
    report.sections = {{.title = "", .blocks = {table}, .sections = {}}};
    report.result = json_of(result);
    return report;
}

}  // namespace assay::quality
