#include "cli/paper_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/refuse.h"
#include "evaluate/gap/gap_margin.h"
#include "evaluate/gap/gap_report_tables.h"

namespace assay::cli::paper_tables {
namespace {

/// A table of published values may have other data sets besides the composites.
const GapAlso& composite_set(const GapReport& report, const PaperStudy& study) {
    const auto found = std::ranges::find(report.also, study.settings().composites, &GapAlso::name);
    if (found == report.also.end())
        refuse(fmt::format("no values on `{}`", study.settings().composites));
    return *found;
}

Column value_column(std::string name) {
    return {.name = std::move(name), .show = Column::Show::value_and_half};
}

}  // namespace

Table labels_per_image(PaperStudy& study) {
    const GapReport& report = study.gap();
    Table table;
    table.title = "Images by their number of valid labels";
    table.columns = {{.name = "data set", .numbers = false}};
    for (std::size_t g = 1; g <= report.sets[0].with_labels.size(); ++g)
        table.columns.push_back({.name = std::to_string(g)});
    table.columns.push_back({.name = fmt::format("> {}", report.sets[0].with_labels.size())});
    table.columns.push_back({.name = "without a label"});
    for (const GapDataSet& set : report.sets) {
        std::vector<Cell> cells{set.name};
        for (const std::uint64_t images : set.with_labels) cells.emplace_back(Count{images});
        cells.emplace_back(Count{set.more});
        cells.emplace_back(Count{set.none});
        table.add(std::move(cells));
    }
    return table;
}

Table composites(PaperStudy& study) {
    const ScoreResult& result = study.composites();
    // The number of images by number of objects, of all images of a data set. Its models have the
    // same.
    std::map<std::string, std::vector<std::uint64_t>> images;
    std::vector<std::string> order;
    std::set<std::size_t> objects;
    for (const ScoreReport& report : result.reports) {
        if (!images.try_emplace(report.dataset, report.labels_per_image).second) continue;
        order.push_back(report.dataset);
        for (std::size_t g = 1; g < report.labels_per_image.size(); ++g)
            if (report.labels_per_image[g] > 0) objects.insert(g);
    }
    Table table;
    table.title = "Composites by their number of objects";
    table.columns = {{.name = "data set", .numbers = false}};
    for (const std::size_t g : objects) table.columns.push_back({.name = std::to_string(g)});
    for (const std::string& name : order) {
        const std::vector<std::uint64_t>& counts = images[name];
        std::vector<Cell> cells{name};
        for (const std::size_t g : objects)
            cells.emplace_back(Count{g < counts.size() ? counts[g] : 0});
        table.add(std::move(cells));
    }
    return table;
}

Table best(PaperStudy& study) {
    const GapReport& report = study.ranked();
    const GapRanking& ranking = report.ranking.value();
    Table table;
    table.title = fmt::format("The best models by {}", ranking.by);
    table.columns = {{.name = "model", .numbers = false},
                     value_column("top1 " + report.sets[0].name),
                     {.name = "rank by " + ranking.against},
                     value_column("asma " + composite_set(report, study).name),
                     {.name = "rank"},
                     {.name = "change"}};
    constexpr auto top1 = static_cast<std::size_t>(GapMetric::top1);
    constexpr auto asma = static_cast<std::size_t>(GapMetric::asma);
    const std::size_t count = std::min<std::size_t>(study.settings().best, ranking.places.size());
    for (std::size_t k = 0; k < count; ++k) {
        const GapRanking::Place& place = ranking.places[k];
        table.add({report.models[place.model].name,
                   gap_tables::percent(report.models[place.model].metrics[top1].first),
                   Count{place.against},
                   gap_tables::percent(composite_set(report, study).models[place.model][asma]),
                   Count{place.rank}, fmt::format("{:+}", place.change)});
    }
    table.notes.push_back(fmt::format("{} of {} models; change: places gained against {}", count,
                                      ranking.places.size(), ranking.against));
    return table;
}

Table models(PaperStudy& study) {
    return gap_tables::places(study.widest_gap(), true);
}

Table ranges(PaperStudy& study) {
    const GapReport& report = study.gap();
    Table table;
    table.title = fmt::format("Gaps between {} and {}", report.sets[0].name, report.sets[1].name);
    table.columns = {{.name = "metric", .numbers = false},
                     {.name = "models"},
                     {.name = "mean gap", .show = Column::Show::value_and_interval},
                     {.name = "smallest"},
                     {.name = "largest"},
                     {.name = "within"},
                     {.name = "surely within"},
                     {.name = "surely outside"}};
    for (std::size_t m = 0; m < gap_metrics.size(); ++m) {
        const auto& between = report.average.between[m];
        if (!between) continue;
        const GapWithinMargin& within = report.average.within_margin[m];
        const auto points = [](double value) { return Number{value, Unit::proportion, 2}; };
        std::vector<Cell> cells{std::string(name_of(gap_metrics[m])),
                                Count{between->models},
                                gap_tables::percent(report.average.metrics[m].gap),
                                points(between->min),
                                points(between->max),
                                Count{within.within}};
        for (const auto& count : {within.surely_within, within.surely_outside})
            cells.push_back(count ? Cell(Count{*count}) : Cell());
        table.add(std::move(cells));
    }
    table.notes.push_back(fmt::format("within: the observed gap is less than {:g} points",
                                      100 * report.options.margin));
    return table;
}

Table within(PaperStudy& study) {
    const GapReport& report = study.gap();
    Table table;
    table.title =
        fmt::format("Models that lose less than {:g} points from {} to {}",
                    100 * report.options.margin, report.sets[0].name, report.sets[1].name);
    table.columns = {{.name = "model", .numbers = false}};
    for (const GapMetric metric : gap_metrics)
        table.columns.push_back(value_column(fmt::format("{} gap", name_of(metric))));
    table.columns.push_back({.name = "within by", .numbers = false});
    for (const GapModel& model : report.models) {
        std::vector<Cell> cells{model.name};
        std::string by;
        for (std::size_t m = 0; m < gap_metrics.size(); ++m) {
            const Estimate& gap = model.metrics[m].gap;
            cells.push_back(gap_tables::percent(gap));
            if (!gap.value || !is_within(*gap.value, report.options.margin)) continue;
            by += fmt::format("{}{}", by.empty() ? "" : ", ", name_of(gap_metrics[m]));
        }
        if (by.empty()) continue;
        cells.emplace_back(by);
        table.add(std::move(cells));
    }
    return table;
}

Table adjusted(PaperStudy& study) {
    const replication::AdjustReport& report = study.adjust().adjusted;
    Table table;
    table.title = "Accuracies on both data sets";
    table.columns = {
        {.name = "model", .numbers = false}, value_column("original"), value_column("replication")};
    for (const replication::MethodResult& method : report.methods)
        table.columns.push_back(value_column("adjusted by " + method.id));
    for (std::size_t i = 0; i < report.classifiers.size(); ++i) {
        std::vector<Cell> cells{report.classifiers[i], report.first[i], report.second[i]};
        for (const replication::MethodResult& method : report.methods)
            cells.push_back(i < method.adjusted.size() ? Cell(method.adjusted[i]) : Cell());
        table.add(std::move(cells));
    }
    return table;
}

}  // namespace assay::cli::paper_tables
