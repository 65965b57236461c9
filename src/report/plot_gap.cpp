#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/refuse.h"
#include "report/plot_recipes.h"

namespace assay {
namespace {

std::string name_of_set(const JsonReader& result, std::string_view which) {
    const auto set = result.find(which);
    const auto name = set ? set->find("name") : std::nullopt;
    return name ? name->text() : std::string(which);
}

/// Sorts from the least value of the first data set to the greatest.
std::optional<Series> fitted_line(const JsonReader& result, const std::string& metric,
                                  const std::vector<Point>& points) {
    const auto lines = result.find("lines");
    if (!lines || points.empty()) return std::nullopt;
    for (const JsonReader& line : lines->entries()) {
        if (line["metric"].text() != metric) continue;
        const auto intercept = estimate_of(line["intercept"]).value;
        const auto slope = estimate_of(line["slope"]).value;
        if (!intercept || !slope) return std::nullopt;
        double low = std::get<double>(points.front().x), high = low;
        for (const Point& point : points) {
            low = std::min(low, std::get<double>(point.x));
            high = std::max(high, std::get<double>(point.x));
        }
        Series series{.name = "fitted line", .points = {}, .joined = true};
        for (const double x : {low, high}) {
            Point end = plot_point(x, {});
            end.y.value = *intercept + *slope * x;
            end.y.unit = points.front().y.unit;
            series.points.push_back(std::move(end));
        }
        return series;
    }
    return std::nullopt;
}

Plot gap_plot(const JsonReader& result, const std::string& metric, NameChoice& models) {
    Plot plot;
    plot.title = metric;
    plot.x_title = name_of_set(result, "first");
    plot.y_title = name_of_set(result, "second");
    plot.equal = true;
    Series series{.name = "models", .points = {}};
    for (const JsonReader& model : result["models"].entries()) {
        const std::string& name = model["model"].text();
        if (!models.takes(name)) continue;
        const auto values = model["metrics"].find(metric);
        if (!values) continue;
        const Estimate first = estimate_of((*values)["first"]);
        if (!first.value) continue;
        Point point = plot_point(*first.value, estimate_of((*values)["second"]), name);
        point.x_interval = first.interval;
        plot.x_unit = first.unit;
        series.points.push_back(std::move(point));
    }
    auto line = fitted_line(result, metric, series.points);
    plot.series.push_back(std::move(series));
    if (line) plot.series.push_back(*std::move(line));
    return plot;
}

}  // namespace

std::vector<Plot> gap_plots(const JsonReader& result, const PlotChoice& choice) {
    // These are in this order if they exist. Others follow.
    std::set<std::string> there;
    for (const JsonReader& model : result["models"].entries()) {
        const JsonReader values = model["metrics"];
        for (const auto& [name, value] : values.object().items()) there.insert(name);
    }
    std::vector<std::string> metrics;
    for (const char* name : {"top1", "real", "asma"}) {
        if (there.contains(name)) metrics.emplace_back(name);
    }
    for (const std::string& name : there) add_once(metrics, name);
    if (!choice.metric.empty()) metrics = {chosen_metric(choice, metrics)};
    NameChoice models("model", choice.models);
    std::vector<Plot> plots;
    for (const std::string& metric : metrics) plots.push_back(gap_plot(result, metric, models));
    models.check();
    if (plots.empty()) refuse("the result has no model");
    return plots;
}

std::vector<Plot> gap_label_plots(const JsonReader& result, const PlotChoice&) {
    const auto boxes = result.find("boxes");
    if (!boxes || boxes->entries().empty())
        refuse("the result has no `boxes`: make it with `assay gap RUNS/V1 RUNS/V2 --json`");
    Plot plot;
    plot.kind = Plot::Kind::boxes;
    plot.title = "Models by the number of labels";
    plot.y_title = "agreement";
    for (const char* which : {"first", "second"})
        plot.series.push_back({.name = name_of_set(result, which), .points = {}});
    // Data sets with the same name are counted separately.
    if (plot.series[0].name == plot.series[1].name) plot.series[1].name += " (second)";
    for (const JsonReader& entry : boxes->entries()) {
        const double labels = entry["labels"].number();
        const std::string row = fmt::format("{} label{}", labels, labels == 1 ? "" : "s");
        auto& points = plot.series[entry["set"].text() == "first" ? 0 : 1].points;
        const auto box = entry.find("box");
        Point point = plot_point(row, {});
        point.y.unit = Unit::proportion;
        if (box) {
            point.y.value = (*box)["median"].number();
            point.y.interval = interval_of(*box, "low_whisker", "high_whisker");
            point.quartiles = interval_of(*box, "lower_quartile", "upper_quartile");
        }
        points.push_back(point);
        if (!box) continue;
        for (const JsonReader& outlier : (*box)["outliers"].entries()) {
            Point beyond = plot_point(row, {});
            beyond.y.unit = Unit::proportion;
            beyond.y.value = outlier.number();
            points.push_back(std::move(beyond));
        }
    }
    return {plot};
}

}  // namespace assay
