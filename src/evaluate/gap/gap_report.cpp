// What the gap has to say: tables for people, one row per model for programs, and the result.
#include <algorithm>

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "assay/evaluate/gap.h"
#include "evaluate/gap/gap_report_tables.h"

namespace assay {
namespace {

Section section_of(const GapReport& r, bool all_models) {
    Section section;
    const bool stores = r.source == "stores";
    section.blocks.emplace_back(gap_tables::average(r));
    if (stores) {
        section.blocks.emplace_back(gap_tables::histogram(r));
        section.blocks.emplace_back(gap_tables::decomposition(r));
        if (!r.average.subgroups.empty()) section.blocks.emplace_back(gap_tables::subgroups(r));
    }
    section.blocks.emplace_back(gap_tables::models(r, all_models));
    if (!r.also.empty() || r.ranking)
        section.blocks.emplace_back(gap_tables::places(r, all_models));
    for (std::size_t set = 0; set < 2; ++set) {
        if (r.models.size() > 1 && !r.best[set].empty())
            section.blocks.emplace_back(gap_tables::ranks(r, set));
    }
    section.blocks.emplace_back(gap_tables::orders(r));
    if (!r.lines.empty()) section.blocks.emplace_back(gap_tables::lines(r));
    if (!r.boxes.empty() && r.models.size() > 1) section.blocks.emplace_back(gap_tables::boxes(r));
    return section;
}

std::vector<Column> record_columns(const GapReport& r) {
    std::vector<Column> columns{{.name = "model"}};
    const auto estimate = [&](std::string name) {
        columns.push_back({.name = std::move(name), .show = Column::Show::every_part});
    };
    const auto pair = [&](const std::string& name) {
        for (const char* ending : {"_v1", "_v2", "_gap"}) estimate(name + ending);
    };
    for (const GapMetric m : gap_metrics) pair(std::string(name_of(m)));
    estimate("composition");
    estimate("within");
    for (const GapMetric m : gap_metrics) {
        for (const char* set : {"_rank_v1", "_rank_v2"})
            columns.push_back({.name = std::string(name_of(m)) + set});
    }
    for (const char* name : {"rank_change_v1", "rank_change_v2", "not_scored_v1", "not_scored_v2"})
        columns.push_back({.name = name});
    for (const std::uint32_t g : r.subgroups) pair(fmt::format("subgroup{}", g));
    for (const GapAlso& also : r.also) {
        for (const GapMetric m : gap_metrics) estimate(fmt::format("{}_{}", name_of(m), also.name));
    }
    if (r.ranking) {
        for (const char* name : {"ranking", "ranking_against", "ranking_change"})
            columns.push_back({.name = name});
    }
    return columns;
}

// A row per model; read_gap_table() reads such a table.
Table records_of(const GapReport& r) {
    Table table;
    table.columns = record_columns(r);
    for (const GapModel& model : r.models) {
        std::vector<Cell> cells{model.name};
        const auto add_pair = [&](const GapPair& p) {
            for (const Estimate* v : {&p.first, &p.second, &p.gap}) cells.emplace_back(*v);
        };
        for (const GapPair& p : model.metrics) add_pair(p);
        cells.emplace_back(model.decomposition.composition);
        cells.emplace_back(model.decomposition.within);
        for (const auto& metric : model.ranks) {
            for (const GapRank& rank : metric) {
                Cell& cell = cells.emplace_back();
                if (rank.rank > 0) cell = Count{rank.rank};
            }
        }
        for (const auto& change : model.rank_change) {
            Cell& cell = cells.emplace_back();
            if (change) cell = Number{static_cast<double>(*change)};
        }
        for (const std::uint64_t n : model.not_scored) cells.emplace_back(Count{n});
        for (const GapSubgroup& s : model.subgroups) add_pair(s.agreement);
        const auto i = static_cast<std::size_t>(&model - r.models.data());
        for (const GapAlso& also : r.also) {
            for (const Estimate& v : also.models[i]) cells.emplace_back(v);
        }
        if (r.ranking) {
            const auto place = std::ranges::find(r.ranking->places, i, &GapRanking::Place::model);
            const bool there = place != r.ranking->places.end();
            cells.push_back(there ? Cell(Count{place->rank}) : Cell());
            cells.push_back(there ? Cell(Count{place->against}) : Cell());
            cells.push_back(there ? Cell(Number{static_cast<double>(place->change)}) : Cell());
        }
        table.add(std::move(cells));
    }
    return table;
}

}  // namespace

Report report_of(const GapReport& r, bool all_models) {
    Report report;
    report.sections.push_back(section_of(r, all_models));
    report.records = records_of(r);
    report.name_records(fmt::format("{} against {}", r.sets[0].name, r.sets[1].name));
    report.result = to_json(r);
    report.warnings = r.warnings;
    report.partial = r.partial;
    return report;
}

}  // namespace assay
