// Reports accuracy by group for people.
#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "assay/report.h"
#include "evaluate/groups_of_store.h"
#include "evaluate/measurement_text.h"

namespace assay::evaluate {
namespace {

using Show = Column::Show;

constexpr std::size_t most_rows = 30;

/// The lowest groups are first, and groups that are too small are last.
std::vector<const GroupAccuracy*> in_order(const AccuracyByGroup& result) {
    std::vector<const GroupAccuracy*> groups;
    for (const GroupAccuracy& group : result.groups) groups.push_back(&group);
    std::ranges::stable_sort(groups, [](const auto* a, const auto* b) {
        const bool a_large = a->accuracy.interval.has_value(),
                   b_large = b->accuracy.interval.has_value();
        if (a_large != b_large) return a_large;
        return a->accuracy.value.value_or(2) < b->accuracy.value.value_or(2);
    });
    return groups;
}

Table groups_table(const ScoreReport& report, const AccuracyByGroup& result) {
    const bool clusters = std::ranges::any_of(
        result.groups, [](const GroupAccuracy& group) { return group.clusters.has_value(); });
    Table table;
    table.title = fmt::format("{} on {}: {} by {}", report.model, report.dataset, result.metric,
                              by_text(result.by));
    table.columns = {{"group", false}, {"n"}};
    if (clusters) table.columns.push_back({"clusters"});
    table.columns.push_back({result.metric + " %", true, Show::value});
    table.columns.push_back({"interval", true, Show::interval});
    table.columns.push_back({"less the others", true, Show::value});
    table.columns.back().sign = true;
    table.columns.push_back({"interval", true, Show::interval});
    std::vector<Cell> worst{result.worst.key.metric, Count{result.worst.n}};
    if (clusters) worst.emplace_back();
    worst.insert(worst.end(), {Estimate(result.worst), Estimate(result.worst)});
    table.add(std::move(worst));
    table.rule();
    const std::vector<const GroupAccuracy*> groups = in_order(result);
    for (std::size_t i = 0; i < std::min(groups.size(), most_rows); ++i) {
        const GroupAccuracy& group = *groups[i];
        std::vector<Cell> cells{group.name, Count{group.accuracy.n}};
        if (clusters) cells.emplace_back(Count{group.clusters.value_or(0)});
        for (const Measurement* m : {&group.accuracy, &group.difference}) {
            cells.push_back(m->value ? Cell(Estimate(*m)) : Cell());
            cells.push_back(m->interval ? Cell(Estimate(*m)) : Cell());
        }
        table.add(std::move(cells));
    }
    if (groups.size() > most_rows)
        table.notes.push_back(
            fmt::format("{} of {} groups; --json and --csv have all", most_rows, groups.size()));
    if (result.too_small > 0)
        table.notes.push_back(
            fmt::format("groups without an interval have {}", too_small_text(clusters)));
    if (!result.without_value.empty())
        table.notes.push_back(without_value_note(result.without_value, result.without));
    table.notes.push_back(fmt::format(
        "{}: {}", result.worst.key.metric,
        result.worst.value ? result.worst.note : "undefined: " + result.worst.undefined));
    table.notes.emplace_back(
        "less the others: the group's accuracy minus that of all other images. These intervals "
        "hold together for all groups");
    return table;
}

Table worst_table(const std::vector<const ScoreReport*>& reports, const std::string& metric) {
    Table table;
    table.columns = {{"model", false},
                     {fmt::format("worst({}) %", metric), true, Show::value},
                     {"interval", true, Show::interval},
                     {"observed %"},
                     {"in group", false},
                     {"groups"}};
    for (const ScoreReport* report : reports) {
        for (const AccuracyByGroup& result : report->groups) {
            if (result.metric != metric) continue;
            if (table.title.empty())
                table.title =
                    fmt::format("{}: worst group by {}", report->dataset, by_text(result.by));
            table.add(
                {report->model, Estimate(result.worst), Estimate(result.worst),
                 result.observed ? Cell(Number{*result.observed, Unit::proportion, 1}) : Cell(),
                 result.observed_group, Count{result.candidates}});
            // The models of a data set have the same images, so one note is enough.
            if (!result.without_value.empty() && table.notes.empty())
                table.notes.push_back(without_value_note(result.without_value, result.without));
        }
    }
    table.notes.emplace_back(
        "the value is the lowest observed accuracy, corrected for the bias of choosing it; "
        "`assay score STORE --by` shows each group");
    return table;
}

}  // namespace

std::string by_text(const std::vector<std::string>& all) {
    std::vector<std::string> texts;
    for (const std::string& by : all) {
        std::string text = by;
        for (std::size_t at = 0; (at = text.find(',', at)) != std::string::npos; at += 3)
            text.replace(at, 1, " x ");
        texts.push_back(std::move(text));
    }
    return fmt::format("{}", fmt::join(texts, " and by "));
}

std::string without_value_note(const std::vector<WithoutValue>& attributes, std::uint64_t without) {
    std::vector<std::string> parts;
    for (const WithoutValue& one : attributes)
        parts.push_back(fmt::format("{}: {}", one.attribute, count_text(one.images)));
    return fmt::format("images without a value of {}; in no group: {}", fmt::join(parts, ", "),
                       count_text(without));
}

std::vector<Block> group_blocks(const std::vector<const ScoreReport*>& reports) {
    std::vector<Block> blocks;
    if (reports.size() == 1) {
        for (const AccuracyByGroup& result : reports[0]->groups)
            blocks.emplace_back(groups_table(*reports[0], result));
        return blocks;
    }
    for (const std::string& metric : {std::string("top1"), std::string("real")}) {
        Table table = worst_table(reports, metric);
        if (!table.rows.empty()) blocks.emplace_back(std::move(table));
    }
    return blocks;
}

}  // namespace assay::evaluate
