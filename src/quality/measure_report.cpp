// The report on the nine dimensions of classifiers.
#include <fmt/format.h>

#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "quality/described_quality.h"

namespace assay::quality {
namespace {

using Show = Column::Show;

Table dimension_table(const MeasuredQuality& result) {
    Table table;
    table.title = "Quality, measured";
    table.columns = {{.name = "model", .numbers = false}};
    for (const DimensionFacts& facts : dimension_facts())
        table.columns.push_back({.name = std::string(facts.title), .show = Show::value_and_half});
    for (const MeasuredModel& m : result.models) {
        std::vector<Cell> cells = {m.model};
        for (const Estimate& value : m.values) {
            if (value.value) {
                cells.emplace_back(value);
            } else {
                cells.emplace_back(std::string("–"));
            }
        }
        table.add(std::move(cells));
    }
    table.notes.push_back(fmt::format("–: not measured. Intervals: {:g} %, sampling of the images.",
                                      100 * result.options.level));
    return table;
}

/// A row per text that models share: "C-robustness | all | frost_synthetic in place of frost".
Table text_table(const MeasuredQuality& result, std::string title, std::string column,
                 const std::function<std::string(std::size_t model, std::size_t dimension)>& text) {
    Table table;
    table.title = std::move(title);
    table.columns = {{.name = "dimension", .numbers = false},
                     {.name = "models", .numbers = false},
                     {.name = std::move(column), .numbers = false}};
    for (std::size_t d = 0; d < dimension_count; ++d) {
        std::map<std::string, std::vector<std::size_t>> of_text;
        for (std::size_t m = 0; m < result.models.size(); ++m) {
            if (std::string found = text(m, d); !found.empty()) of_text[found].push_back(m);
        }
        for (const auto& [found, models] : of_text) {
            std::string names = "all";
            if (models.size() < result.models.size()) {
                names.clear();
                for (const std::size_t m : models)
                    names += (names.empty() ? "" : ", ") + result.models[m].model;
            }
            table.add({std::string(dimension_facts()[d].title), names, found});
        }
    }
    return table;
}

Table part_table(const MeasuredQuality& result) {
    Table table;
    table.title = "Parts";
    table.columns = {{.name = "model", .numbers = false},
                     {.name = "dimension", .numbers = false},
                     {.name = "part", .numbers = false},
                     {.name = "value", .show = Show::value_and_interval},
                     {.name = "images"},
                     {.name = "data", .numbers = false},
                     {.name = "definition", .numbers = false}};
    for (const MeasuredModel& m : result.models) {
        if (!table.rows.empty()) table.rule();
        for (const QualityPart& part : m.parts) {
            table.add({m.model, std::string(facts_of(part.dimension).title), part.name, part.value,
                       Count{part.value.n}, part.dataset,
                       part.value.note.empty() ? part.definition
                       : part.definition.empty()
                           ? part.value.note
                           : fmt::format("{}; {}", part.definition, part.value.note)});
        }
    }
    table.notes.emplace_back("Proportions in percent.");
    return table;
}

}  // namespace

Report report_without_json(const MeasuredQuality& result) {
    Report report;
    report.title = "Quality beyond accuracy";
    report.partial = result.partial;
    report.warnings = result.warnings;
    std::vector<Block> blocks = {dimension_table(result)};
    const auto add = [&](Table table) {
        if (!table.rows.empty()) blocks.emplace_back(std::move(table));
    };
    add(text_table(result, "What is missing", "why", [&](std::size_t m, std::size_t d) {
        return result.models[m].values[d].undefined;
    }));
    add(text_table(
        result, "Differences from the published table", "measured",
        [&](std::size_t m, std::size_t d) { return result.table.models[m].cells[d].definition; }));
    add(text_table(result, "Notes", "note", [&](std::size_t m, std::size_t d) {
        const Estimate& value = result.models[m].values[d];
        return value.value ? value.note : std::string();
    }));
    add(part_table(result));
    for (const std::string& note : result.notes) blocks.emplace_back(note + ".");
    report.sections = {{.title = "", .blocks = std::move(blocks), .sections = {}}};
    for (const MeasuredModel& model : result.models) {
        for (const DimensionFacts& facts : dimension_facts())
            report.values.push_back({{"quality", model.model, std::string(facts.name)},
                                     model.values[static_cast<std::size_t>(facts.dimension)]});
        for (const QualityPart& part : model.parts)
            report.values.push_back(
                {{"quality", model.model, "parts",
                  fmt::format("{}_{}", facts_of(part.dimension).name, part.name)},
                 part.value});
    }
    report.records = quality_records(result.table);
    return report;
}

Report report_of(const MeasuredQuality& result) {
    Report report = report_without_json(result);
    report.result = json_of(ShownQuality{&result.table, &result});
    return report;
}

}  // namespace assay::quality
