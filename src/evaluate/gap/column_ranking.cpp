// Sorts the models by any column.
#include <algorithm>

#include <fmt/format.h>

#include "assay/error.h"
#include "assay/evaluate/gap.h"
#include "evaluate/gap/assemble.h"
#include "evaluate/gap/ordering.h"

namespace assay {
namespace {

/// The values of a column, one per model.
struct RankingColumn {
    std::string name;
    std::vector<Maybe> values;
};

std::vector<RankingColumn> columns_of(const GapReport& report) {
    std::vector<RankingColumn> out;
    for (const GapMetric metric : gap_metrics) {
        const auto m = static_cast<std::size_t>(metric);
        const auto add = [&](const std::string& set, auto&& value_of) {
            RankingColumn column{fmt::format("{}_{}", name_of(metric), set), {}};
            for (std::size_t i = 0; i < report.models.size(); ++i)
                column.values.push_back(value_of(i));
            if (std::ranges::any_of(column.values, [](const Maybe& v) { return v.has_value(); }))
                out.push_back(std::move(column));
        };
        add("v1", [&](std::size_t i) { return report.models[i].metrics[m].first.value; });
        add("v2", [&](std::size_t i) { return report.models[i].metrics[m].second.value; });
        for (const GapAlso& also : report.also)
            add(also.name, [&](std::size_t i) { return also.models[i][m].value; });
    }
    return out;
}

const RankingColumn& column_named(const std::vector<RankingColumn>& columns,
                                  const std::string& name) {
    const auto found = std::ranges::find(columns, name, &RankingColumn::name);
    if (found != columns.end()) return *found;
    std::vector<std::string> names;
    for (const RankingColumn& column : columns) names.push_back(column.name);
    throw Error(ErrorCode::usage,
                fmt::format("no column `{}` to rank by{}", name, suggest(name, names)));
}

/// Returns top1_v1, or real_v1 for composites, which have no single label.
const RankingColumn& first_of_the_first_set(const std::vector<RankingColumn>& columns) {
    for (const GapMetric metric : gap_metrics) {
        const auto found =
            std::ranges::find(columns, fmt::format("{}_v1", name_of(metric)), &RankingColumn::name);
        if (found != columns.end()) return *found;
    }
    throw Error(ErrorCode::bad_input, "no model has a value on the first data set to rank against");
}

}  // namespace

std::vector<std::string> ranking_columns(const GapReport& report) {
    std::vector<std::string> names;
    for (RankingColumn& column : columns_of(report)) names.push_back(std::move(column.name));
    return names;
}

GapRanking rank_by(const GapReport& report, const std::string& by, const std::string& against,
                   bool dense) {
    const std::vector<RankingColumn> columns = columns_of(report);
    const RankingColumn& other =
        against.empty() ? first_of_the_first_set(columns) : column_named(columns, against);
    const auto ranks = rank_pairs(column_named(columns, by).values, other.values, dense);
    GapRanking out{.by = by, .against = other.name, .dense = dense, .places = {}};
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (ranks[i].by > 0)
            out.places.push_back({i, ranks[i].by, ranks[i].against, ranks[i].change()});
    }
    std::ranges::stable_sort(out.places, {}, &GapRanking::Place::rank);
    return out;
}

}  // namespace assay
