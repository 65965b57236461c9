// Makes the table of the papers: values of each model on every data set, sorted by one.
#include <algorithm>

#include <fmt/format.h>

#include "core/text.h"
#include "evaluate/gap/gap_report_tables.h"

namespace assay::gap_tables {
namespace {

constexpr std::size_t places_shown = 20;

Cell published(const Estimate& v) {
    if (v.value && half_width(v) <= 0) return Number{*v.value, Unit::proportion, 2};
    return v;
}

/// "mean over 3 data sets (seed1, seed2, seed3), with an interval ...".
std::string mean_text(const GapAlso& also) {
    const std::vector<std::string>& names = also.means.front().datasets;  // as of all means
    return fmt::format(
        "mean over {} ({}){}", how_many(names.size(), "data set"), fmt::join(names, ", "),
        names.size() < 2 ? ""
                         : ", with an interval that treats them as a sample of such data sets");
}

}  // namespace

Table places(const GapReport& r, bool all) {
    constexpr std::array<std::string_view, 3> titles{"top-1", "ReaL", "ASMA"};
    Table table;
    table.title = r.ranking ? fmt::format("Models, by {} (percent)", r.ranking->by)
                            : "Models on all data sets (percent)";
    table.columns = {{.name = "model", .numbers = false}};
    // Columns without any value are omitted.
    using Pick = const Estimate& (*)(const GapReport&, std::size_t metric, std::size_t set,
                                     std::size_t model);
    const Pick pick = [](const GapReport& report, std::size_t m, std::size_t set,
                         std::size_t i) -> const Estimate& {
        if (set == 0) return report.models[i].metrics[m].first;
        if (set == 1) return report.models[i].metrics[m].second;
        return report.also[set - 2].models[i][m];
    };
    std::vector<std::pair<std::size_t, std::size_t>> shown;
    for (std::size_t m = 0; m < gap_metrics.size(); ++m) {
        for (std::size_t set = 0; set < 2 + r.also.size(); ++set) {
            bool any = false;
            for (std::size_t i = 0; i < r.models.size(); ++i)
                any = any || pick(r, m, set, i).value.has_value();
            if (!any) continue;
            shown.emplace_back(m, set);
            table.columns.push_back(
                {.name = fmt::format("{} {}", titles[m],
                                     set < 2 ? r.sets[set].name : r.also[set - 2].name)});
        }
    }
    std::vector<GapRanking::Place> order;
    if (r.ranking) {
        for (const char* name : {"rank", "other", "change"})
            table.columns.push_back({.name = name});
        table.columns[table.columns.size() - 2].name = "by " + r.ranking->against;
        order = r.ranking->places;
    } else {
        for (std::size_t i = 0; i < r.models.size(); ++i) order.push_back({.model = i});
    }
    const std::size_t count = all ? order.size() : std::min(places_shown, order.size());
    for (std::size_t k = 0; k < count; ++k) {
        const GapRanking::Place& place = order[k];
        std::vector<Cell> cells{r.models[place.model].name};
        for (const auto& [m, set] : shown) cells.push_back(published(pick(r, m, set, place.model)));
        if (r.ranking) {
            cells.emplace_back(Count{place.rank});
            cells.emplace_back(Count{place.against});
            cells.emplace_back(fmt::format("{:+}", place.change));
        }
        table.add(std::move(cells));
    }
    if (count < order.size())
        table.notes.push_back(fmt::format(
            "the first {} of {} models; csv and json have all of them", count, order.size()));
    if (r.ranking) {
        table.notes.push_back(fmt::format(
            "Equal values share a rank, {}; change: rank by {} minus rank by {}, over the models "
            "that have both.",
            r.ranking->dense ? "and the next is not skipped (1, 2, 2, 3)"
                             : "the smaller one (1, 2, 2, 4)",
            r.ranking->against, r.ranking->by));
    }
    for (const GapAlso& also : r.also) {
        if (!also.means.empty())
            table.notes.push_back(fmt::format("{}: {}.", also.name, mean_text(also)));
        if (!also.subgroups.empty())
            table.notes.push_back(
                fmt::format("ASMA {}: over the images with {} labels.", also.name, also.subgroups));
    }
    return table;
}

}  // namespace assay::gap_tables
