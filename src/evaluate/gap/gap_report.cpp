// Reports on the gap: tables for people, one row per model for programs, and the result.
#include <algorithm>
#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "assay/describe_result.h"
#include "assay/evaluate/gap.h"
#include "core/list_columns.h"
#include "evaluate/described_evaluate.h"  // before the first to_json(): clang keeps what it found
#include "evaluate/gap/gap_groups.h"
#include "evaluate/gap/gap_report_tables.h"
#include "evaluate/gap/gap_result.h"

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
    for (Table& table : gap_tables::groups(r, all_models))
        section.blocks.emplace_back(std::move(table));
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

/// A model on a further data set.
struct FurtherValues {
    const std::string* set;
    const std::array<Estimate, 3>* metrics;

    template <GapMetric metric>
    const Estimate& of() const {
        return (*metrics)[static_cast<std::size_t>(metric)];
    }
};
ResultType result_type(ResultOf<FurtherValues>) {
    static constexpr auto rows = describe_result<FurtherValues>(
        {.name = "GapFurtherValues"},
        {
            part<&FurtherValues::set>({}),
            part<&FurtherValues::of<GapMetric::top1>>({.name = "top1"}),
            part<&FurtherValues::of<GapMetric::real>>({.name = "real"}),
            part<&FurtherValues::of<GapMetric::asma>>({.name = "asma"}),
        });
    return rows;
}

/// Columns after those of the model.
struct FurtherColumns {
    std::vector<FurtherValues> also;
};
ResultType result_type(ResultOf<FurtherColumns>) {
    static constexpr auto rows = describe_result<FurtherColumns>(
        {.name = "GapFurtherColumns",
         .columns = "top1_{set}=also.top1*,real_{set}=also.real*,asma_{set}=also.asma*"},
        {part<&FurtherColumns::also>({})});
    return rows;
}

struct RankingColumns {
    const GapRanking::Place* place;  ///< nullptr if the model is not ranked
};
ResultType result_type(ResultOf<RankingColumns>) {
    static constexpr auto rows = describe_result<RankingColumns>(
        {.name = "GapRankingColumns", .columns = "ranking,ranking_against,ranking_change"},
        {
            part({.name = "ranking"},
                 [](const RankingColumns& of) { return of.place ? &of.place->rank : nullptr; }),
            part({.name = "ranking_against"},
                 [](const RankingColumns& of) { return of.place ? &of.place->against : nullptr; }),
            part({.name = "ranking_change"},
                 [](const RankingColumns& of) { return of.place ? &of.place->change : nullptr; }),
        });
    return rows;
}

// Writes a row per model. read_gap_table() reads such a table.
Table records_of(const GapReport& r) {
    Table table;
    for (std::size_t i = 0; i < r.models.size(); ++i) {
        const GapModel& model = r.models[i];
        FurtherColumns further;
        for (const GapAlso& also : r.also) further.also.push_back({&also.name, &also.models[i]});
        if (!r.ranking) {
            if (i == 0) table = result_table_for(model, further);
            add_row(table, model, further);
            continue;
        }
        const auto place = std::ranges::find(r.ranking->places, i, &GapRanking::Place::model);
        const RankingColumns ranking{place == r.ranking->places.end() ? nullptr : &*place};
        if (i == 0) table = result_table_for(model, further, ranking);
        add_row(table, model, further, ranking);
    }
    return table;
}

/// Rows for each model's groups, after those of the models: its accuracies and the gap. The column
/// `subgroup` has the group, or "largest gap". They are in report.values, too.
void add_groups(Report& report, const GapReport& r) {
    if (r.groups.empty()) return;
    Table& table = report.records;
    const std::size_t columns = table.columns.size();
    table.columns.push_back({.name = "subgroup", .numbers = false});
    std::map<std::pair<std::string, std::string>, std::size_t> rows;
    const auto add = [&](const GapByGroup& of, const std::string& group, std::string_view column,
                         const Estimate& value) {
        const auto [row, first] = rows.try_emplace({of.model, group}, table.rows.size());
        if (first) {
            std::vector<Cell> cells(columns + 1);
            cells.front() = of.model;
            cells.back() = group;
            table.add(std::move(cells));
        }
        const std::string name = fmt::format("{}_{}", of.metric, column);
        const auto at = std::ranges::find(table.columns, name, &Column::name);
        table.rows[row->second][static_cast<std::size_t>(at - table.columns.begin())] = value;
        report.values.push_back({{fmt::format("{} against {}", r.sets[0].name, r.sets[1].name),
                                  of.model, fmt::format("{}[{}]", name, group)},
                                 value});
    };
    for (const GapByGroup& of : r.groups) {
        add(of, "largest gap", "gap", of.largest);
        for (const GapOfGroup& group : of.groups) {
            add(of, group.name, "v1", group.accuracy[0]);
            add(of, group.name, "v2", group.accuracy[1]);
            add(of, group.name, "gap", group.gap);
        }
    }
}

}  // namespace

Report report_of(const GapReport& r, bool all_models) {
    Report report;
    report.sections.push_back(section_of(r, all_models));
    report.records = records_of(r);
    report.name_records(fmt::format("{} against {}", r.sets[0].name, r.sets[1].name));
    add_groups(report, r);
    report.result = to_json(r);
    report.warnings = r.warnings;
    report.partial = r.partial;
    return report;
}

}  // namespace assay
