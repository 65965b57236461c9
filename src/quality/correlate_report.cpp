// Correlations of quality dimensions, to read.
#include <fmt/format.h>

#include "assay/quality/correlate.h"
#include "core/text.h"

namespace assay::quality {
namespace {

using nlohmann::json;

/// rho below the diagonal.
Table matrix_of(const std::vector<Correlation>& correlations, std::string title) {
    Table table;
    table.title = std::move(title);
    table.columns = {{.name = "", .numbers = false}};
    for (std::size_t d = 0; d + 1 < dimension_count; ++d)
        table.columns.push_back({.name = std::string(dimension_facts()[d].title)});
    std::size_t next = 0;
    for (std::size_t x = 1; x < dimension_count; ++x) {
        std::vector<Cell> row = {std::string(dimension_facts()[x].title)};
        for (std::size_t y = 0; y < x; ++y) {
            const Correlation& c = correlations[next++];
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
        pairs.add({std::string(facts_of(c.y).title), std::string(facts_of(c.x).title), c.rho,
                   p(c.p), p(c.adjusted), Count{c.rho.n}});
    }
    return pairs;
}

/// The pairs as json, and as rows of the records; `group` where there are any.
json add_pairs(const std::vector<Correlation>& correlations,
               const std::optional<std::string>& group, Table& records) {
    json all = json::array();
    for (const Correlation& c : correlations) {
        const std::string x(facts_of(c.x).name), y(facts_of(c.y).name);
        const auto p = [&](double value) { return c.rho.value ? json(value) : json(); };
        all.push_back({{"x", x},
                       {"y", y},
                       {"rho", to_json(c.rho)},
                       {"p", p(c.p)},
                       {"p_adjusted", p(c.adjusted)}});
        std::vector<Cell> record = {x, y, c.rho, PValue{c.p}, PValue{c.adjusted}, Count{c.rho.n}};
        if (group) record.insert(record.begin(), *group);
        records.add(std::move(record));
    }
    return all;
}

}  // namespace

Report report_of(const CorrelateResult& result) {
    Report report;
    report.title = "Which dimensions go together";
    report.warnings = result.warnings;
    const bool grouped = !result.groups.empty();
    if (grouped) report.records.columns.push_back({.name = "group"});
    for (const char* name : {"x", "y"}) report.records.columns.push_back({.name = name});
    report.records.columns.push_back({.name = "rho", .show = Column::Show::every_part});
    for (const char* name : {"p", "p_adjusted", "models"})
        report.records.columns.push_back({.name = name});

    Table all =
        matrix_of(result.pairs, "Spearman's correlation over " + how_many(result.models, "model"));
    for (const std::string& note : result.notes) all.notes.push_back(note + ".");
    report.sections = {{.title = "",
                        .blocks = {std::move(all), pair_table(result.pairs, result.options.adjust)},
                        .sections = {}}};
    report.result = {{"schema", "assay.quality_correlate/1"},
                     {"models", result.models},
                     {"families", result.families},
                     {"family", result.options.family},
                     {"adjust", result.options.adjust},
                     {"notes", result.notes},
                     {"warnings", result.warnings}};
    const auto no_group = grouped ? std::optional<std::string>("") : std::nullopt;
    report.result["pairs"] = add_pairs(result.pairs, no_group, report.records);
    if (!grouped) return report;
    report.result["by"] = result.options.by;
    json& groups = report.result["groups"] = json::array();
    for (const CorrelateGroup& group : result.groups) {
        report.sections.push_back(
            {.title = fmt::format("{}: {}", result.options.by, group.value),
             .blocks = {matrix_of(group.pairs, fmt::format("Spearman's correlation over {} models",
                                                           group.models)),
                        pair_table(group.pairs, result.options.adjust)},
             .sections = {}});
        groups.push_back({{"value", group.value},
                          {"models", group.models},
                          {"families", group.families},
                          {"pairs", add_pairs(group.pairs, group.value, report.records)}});
    }
    return report;
}

}  // namespace assay::quality
