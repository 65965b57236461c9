// Differences between groups of models, to read.
#include <fmt/format.h>

#include "assay/quality/groups.h"
#include "core/text.h"

namespace assay::quality {

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
    report.records.columns = {{.name = "dimension"}};
    for (const char* name : {"first", "second", "difference", "effect"})
        report.records.columns.push_back({.name = name, .show = Show::every_part});
    for (const char* name : {"p", "p_holm"}) report.records.columns.push_back({.name = name});
    if (result.options.published_test) {
        for (const char* name : {"p_student", "stars"})
            report.records.columns.push_back({.name = name});
    }
    nlohmann::json rows = nlohmann::json::array();
    for (const GroupDifference& d : result.dimensions) {
        const DimensionFacts& facts = facts_of(d.dimension);
        std::vector<Cell> cells = {
            std::string(facts.title), d.first, d.second, d.difference, d.effect, PValue{d.p},
            PValue{d.adjusted}};
        nlohmann::json row = {{"dimension", facts.name},     {"first", to_json(d.first)},
                              {"second", to_json(d.second)}, {"difference", to_json(d.difference)},
                              {"effect", to_json(d.effect)}, {"p", d.p},
                              {"p_holm", d.adjusted}};
        if (result.options.published_test) {
            cells.emplace_back(PValue{d.student_p});
            cells.emplace_back(std::string(static_cast<std::size_t>(d.stars), '*'));
            row["p_student"] = d.student_p;
            row["stars"] = d.stars;
        }
        table.add(cells);
        cells.front() = std::string(facts.name);
        if (result.options.published_test)
            cells.back() = Count{static_cast<std::uint64_t>(d.stars)};
        report.records.add(std::move(cells));
        rows.push_back(std::move(row));
    }
    table.notes.push_back(
        fmt::format("effect: the difference in standard deviations{}; p: {} permutations.",
                    result.options.paired ? " of the pairs' differences" : "",
                    result.exact ? "all" : "random"));
    for (const std::string& note : result.notes) table.notes.push_back(note + ".");
    report.sections = {{.title = "", .blocks = {table}, .sections = {}}};
    report.result = {{"schema", "assay.quality_groups/1"},
                     {"first", result.options.first},
                     {"second", result.options.second},
                     {"first_models", result.first_models},
                     {"second_models", result.second_models},
                     {"paired", result.options.paired},
                     {"family", result.options.family},
                     {"clusters", result.clusters},
                     {"exact", result.exact},
                     {"dimensions", rows},
                     {"notes", result.notes},
                     {"warnings", result.warnings}};
    return report;
}

}  // namespace assay::quality
