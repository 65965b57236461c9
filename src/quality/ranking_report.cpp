// The report on models that columns of numbers rank.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "core/result_table.h"
#include "quality/described_quality.h"

namespace assay::quality {
namespace {

std::size_t shown_models(const RankingResult& result) {
    const std::size_t top = result.options.score.top;
    return top > 0 ? std::min(top, result.models.size()) : result.models.size();
}

std::string how_ranked(const RankingResult& result) {
    if (!result.options.by.empty())
        return fmt::format("{}; {} is better.", result.options.by,
                           result.higher_is_better ? "high" : "low");
    std::string weights;
    for (const RankedColumn& column : result.columns)
        weights += fmt::format("{}{} {:.3g}", weights.empty() ? "" : ", ", column.name,
                               column.weight.value_or(0));
    return fmt::format("Weighted mean of centred and scaled columns, with the weights {}.",
                       weights);
}

Table rank_table(const RankingResult& result) {
    using Show = Column::Show;
    Table table;
    table.title = result.options.by.empty() ? "Score" : "Ranked by " + result.options.by;
    table.columns = {{.name = "rank", .show = Show::value_and_interval},
                     {.name = "model", .numbers = false},
                     {.name = result.options.by.empty() ? "score" : result.options.by,
                      .show = Show::value_and_half}};
    // A model whose draws are unsure has no probability.
    const bool drawn = std::ranges::any_of(
        result.models, [](const RankedModel& model) { return model.best.has_value(); });
    const auto probability = [](const std::optional<double>& p) {
        return p ? Cell(Number{*p, Unit::number, 2}) : Cell();
    };
    if (drawn) {
        table.columns.push_back({.name = "P(best)"});
        table.columns.push_back({.name = "P(top 5)"});
    }
    for (std::size_t i = 0; i < shown_models(result); ++i) {
        const RankedModel& m = result.models[i];
        std::vector<Cell> cells = {m.rank, m.label, m.score};
        if (drawn) {
            cells.push_back(probability(m.best));
            cells.push_back(probability(m.top5));
        }
        table.add(std::move(cells));
    }
    table.notes.push_back(how_ranked(result));
    for (const std::string& note : result.notes) table.notes.push_back(note + ".");
    return table;
}

/// The values of the columns and, in parentheses for a weighted score, what they add to it.
Table value_table(const RankingResult& result) {
    Table table;
    table.title = "Columns";
    table.columns = {{.name = "model", .numbers = false}};
    const bool weighted = result.options.by.empty();
    for (const RankedColumn& column : result.columns) {
        table.columns.push_back({.name = column.name});
        if (weighted) table.columns.push_back({.name = "part"});
    }
    for (std::size_t i = 0; i < shown_models(result); ++i) {
        const RankedModel& m = result.models[i];
        std::vector<Cell> cells = {m.label};
        for (const RankedColumn& column : result.columns) {
            const auto value = m.values.find(column.name);
            const auto part = m.parts.find(column.name);
            cells.push_back(value == m.values.end() ? Cell() : Cell(Number{value->second}));
            if (!weighted) continue;
            cells.push_back(
                part == m.parts.end() ? Cell() : Cell(Number{part->second, Unit::number, 2, true}));
        }
        table.add(std::move(cells));
    }
    if (weighted) table.notes.emplace_back("part: what the column adds to the score.");
    return table;
}

}  // namespace

void add_named_columns(Table& table, const std::vector<std::string>& names, std::string_view prefix,
                       const std::vector<const std::map<std::string, double>*>& numbers) {
    for (const std::string& name : names) {
        const std::size_t before = table.columns.size();
        table.columns.push_back({.name = std::string(prefix) + name});
        for (std::size_t i = 0; i < table.rows.size(); ++i) {
            std::vector<Cell>& row = table.rows[i];
            row.resize(before);
            const auto found = numbers[i]->find(name);
            row.push_back(found == numbers[i]->end() ? Cell() : Cell(Number{found->second}));
        }
    }
}

ResultType result_type(ResultOf<RankedColumn>) {
    static constexpr auto rows = describe_result<RankedColumn>(
        {.name = "RankedColumn", .help = "A column that counts in a ranking"},
        {
            part<&RankedColumn::name>({.name = "column"}),
            part<&RankedColumn::higher_is_better>({}),
            part<&RankedColumn::weight>({.help = "In a weighted score", .omitted = true}),
            part<&RankedColumn::mean>(
                {.help = "Centre of the column in a weighted score", .omitted = true}),
            part<&RankedColumn::deviation>(
                {.help = "Scale of the column in a weighted score", .omitted = true}),
            part<&RankedColumn::scale_from>(
                {.help = "published (the 326 models), these models, or given", .omitted = true}),
            part<&RankedColumn::power>(
                {.help = "In a product: 1, or -1 for a divisor", .omitted = true}),
            part<&RankedColumn::models>({.help = "Models with a value"}),
            part<&RankedColumn::exact>(
                {.help = "Models whose value has no standard error above 0"}),
        });
    return rows;
}

ResultType result_type(ResultOf<RankedModel>) {
    static constexpr auto rows = describe_result<RankedModel>(
        {.name = "RankedModel", .columns = "row,model,score*,rank*,p_best,p_top5"},
        {
            part({.help = "Row of the table, from 1", .name = "row"},
                 [](const RankedModel& m) { return m.model + 1; }),
            part<&RankedModel::label>({.name = "model"}),
            part<&RankedModel::score>({.help = "Weighted score, value of the column, or product"}),
            part<&RankedModel::rank>({.help = "Rank among these models; 1 is the best"}),
            part<&RankedModel::best>(
                {.help = "Probability of rank 1, over the draws; null without standard errors",
                 .name = "p_best"}),
            part<&RankedModel::top5>({.name = "p_top5"}),
            part<&RankedModel::values>({.help = "Value of each column"}),
            part<&RankedModel::parts>(
                {.help = "What each column adds to a weighted score", .omitted = true}),
            part<&RankedModel::missing>({.help = "Columns without a value"}),
        });
    return rows;
}

ResultType result_type(ResultOf<RankingResult>) {
    static constexpr auto rows = describe_result<RankingResult>(
        {.name = "QualityRanking",
         .help = "Models ranked by columns of numbers",
         .schema = "assay.quality_ranking/1"},
        {
            part<&RankingResult::options, &RankingOptions::by>(
                {.help = "The column or product; \"\" for a weighted score"}),
            part<&RankingResult::higher_is_better>(
                {.help = "False if rank 1 has the lowest score"}),
            part<&RankingResult::columns>({.help = "Columns that count"}),
            part<&RankingResult::options, &RankingOptions::score, &QubaOptions::level>(
                {.help = "Of the intervals"}),
            part<&RankingResult::options, &RankingOptions::score, &QubaOptions::replicates>({}),
            part<&RankingResult::options, &RankingOptions::score, &QubaOptions::seed>({}),
            part<&RankingResult::models>({.help = "The best first"}),
            part<&RankingResult::notes>({}),
            part<&RankingResult::warnings>({}),
        });
    return rows;
}

Report report_of(const RankingResult& result) {
    Report report;
    report.title = "Models ranked by columns of numbers";
    report.warnings = result.warnings;
    report.sections = {
        {.title = "", .blocks = {rank_table(result), value_table(result)}, .sections = {}}};
    report.records = table_of(result.models);
    std::vector<std::string> names;
    for (const RankedColumn& column : result.columns) names.push_back(column.name);
    std::vector<const std::map<std::string, double>*> values, parts;
    for (const RankedModel& m : result.models) {
        values.push_back(&m.values);
        parts.push_back(&m.parts);
    }
    add_named_columns(report.records, names, "value_", values);
    if (result.options.by.empty()) add_named_columns(report.records, names, "part_", parts);
    report.result = json_of(result);
    return report;
}

}  // namespace assay::quality
