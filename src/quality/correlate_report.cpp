// The report on correlations of quality dimensions.
#include <fmt/format.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "core/result_table.h"
#include "core/text.h"
#include "quality/described_quality.h"

namespace assay::quality {
namespace {

/// Shows rho below the diagonal.
Table matrix_of(const std::vector<Correlation>& correlations, std::string title) {
    Table table;
    table.title = std::move(title);
    table.columns = {{.name = "", .numbers = false}};
    // The pairs of a column with all before it follow each other; the last one has all others.
    for (std::size_t next = 0, x = 1; next < correlations.size(); next += x++) {
        table.columns.push_back({.name = correlations[next + x - 1].y.title});
    }
    for (std::size_t next = 0, x = 1; next < correlations.size(); next += x++) {
        std::vector<Cell> row = {correlations[next].x.title};
        for (std::size_t y = 0; y < x; ++y) {
            const Correlation& c = correlations[next + y];
            row.push_back(c.rho.value ? Cell(Number{*c.rho.value, Unit::number, 2, true}) : Cell());
        }
        table.add(std::move(row));
    }
    return table;
}

Table pair_table(const std::vector<Correlation>& correlations, const std::string& adjustment) {
    Table pairs;
    pairs.title = "Pairs";
    pairs.columns = {{.name = "first", .numbers = false},
                     {.name = "second", .numbers = false},
                     {.name = "rho", .show = Column::Show::value_and_interval},
                     {.name = "p"},
                     {.name = fmt::format("p ({})", adjustment)},
                     {.name = "models"}};
    for (const Correlation& c : correlations) {
        const auto p = [&](double value) { return c.rho.value ? Cell(PValue{value}) : Cell(); };
        pairs.add({c.y.title, c.x.title, c.rho, p(c.p), p(c.adjusted), Count{c.rho.n}});
    }
    return pairs;
}

void add_records(Table& records, const CorrelateGroup& group, const std::vector<Correlation>& pairs,
                 bool grouped) {
    for (const Correlation& pair : pairs)
        grouped ? add_row(records, group, pair) : add_row(records, pair);
}

}  // namespace

ResultType result_type(ResultOf<Correlation>) {
    static constexpr auto rows = describe_result<Correlation>(
        {.name = "Correlation",
         .help = "Spearman's rank correlation of two dimensions over models",
         .columns = "x,y,rho*,p,p_adjusted,models=rho.n"},
        {
            part<&Correlation::x, &ColumnName::name>({.name = "x"}),
            part<&Correlation::y, &ColumnName::name>({.name = "y"}),
            part<&Correlation::rho>({}),
            part({.help = "Two-sided", .name = "p"},
                 [](const Correlation& c) {
                     return c.rho.value ? std::optional(c.p) : std::nullopt;
                 }),
            part({.help = "Adjusted over all pairs and all groups", .name = "p_adjusted"},
                 [](const Correlation& c) {
                     return c.rho.value ? std::optional(c.adjusted) : std::nullopt;
                 }),
        });
    return rows;
}

ResultType result_type(ResultOf<CorrelateGroup>) {
    static constexpr auto rows =
        describe_result<CorrelateGroup>({.name = "CorrelateGroup",
                                         .help = "The models with one value of the tag `by`",
                                         .columns = "group=value"},
                                        {
                                            part<&CorrelateGroup::value>({}),
                                            part<&CorrelateGroup::models>({}),
                                            part<&CorrelateGroup::families>({}),
                                            part<&CorrelateGroup::pairs>({}),
                                        });
    return rows;
}

ResultType result_type(ResultOf<CorrelateResult>) {
    static constexpr auto rows = describe_result<CorrelateResult>(
        {.name = "QualityCorrelate",
         .help = "Correlations of the dimensions over models",
         .schema = "assay.quality_correlate/1"},
        {
            part<&CorrelateResult::models>({.help = "How many"}),
            part<&CorrelateResult::families>({.help = "How many"}),
            part<&CorrelateResult::options, &CorrelateOptions::family>(
                {.help = "The tag whose values are families; empty: models are independent"}),
            part<&CorrelateResult::options, &CorrelateOptions::adjust>(
                {.help = "How p-values are adjusted"}),
            part<&CorrelateResult::pairs>({.help = "Over all models"}),
            part<&CorrelateResult::options, &CorrelateOptions::by>(
                {.help = "The tag of the groups", .omitted = true}),
            part<&CorrelateResult::groups>({.omitted = true}),
            part<&CorrelateResult::notes>({}),
            part<&CorrelateResult::warnings>({}),
        });
    return rows;
}

Report report_of(const CorrelateResult& result) {
    Report report;
    report.title = "Which dimensions go together";
    report.warnings = result.warnings;
    const bool grouped = !result.groups.empty();
    report.records =
        grouped ? result_table<CorrelateGroup, Correlation>() : result_table<Correlation>();
    report.result = json_of(result);

    Table all =
        matrix_of(result.pairs, "Spearman's correlation over " + how_many(result.models, "model"));
    for (const std::string& note : result.notes) all.notes.push_back(note + ".");
    if (const auto none = std::ranges::find_if(
            result.pairs, [](const Correlation& c) { return !c.rho.value.has_value(); });
        none != result.pairs.end()) {
        const auto others = std::ranges::count_if(
            result.pairs, [](const Correlation& c) { return !c.rho.value.has_value(); });
        all.notes.push_back(fmt::format("{} of {} without a correlation; {} and {}: {}.", others,
                                        how_many(result.pairs.size(), "pair"), none->y.title,
                                        none->x.title, none->rho.undefined));
    }
    report.sections = {{.title = "",
                        .blocks = {std::move(all), pair_table(result.pairs, result.options.adjust)},
                        .sections = {}}};
    add_records(report.records, {}, result.pairs, grouped);
    for (const CorrelateGroup& group : result.groups) {
        report.sections.push_back(
            {.title = fmt::format("{}: {}", result.options.by, group.value),
             .blocks = {matrix_of(group.pairs, fmt::format("Spearman's correlation over {} models",
                                                           group.models)),
                        pair_table(group.pairs, result.options.adjust)},
             .sections = {}});
        add_records(report.records, group, group.pairs, true);
    }
    return report;
}

}  // namespace assay::quality
