#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

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

/// The metrics of the result, or the chosen one.
std::vector<std::string> drawn_metrics(const JsonReader& result, const PlotChoice& choice) {
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
    if (metrics.empty()) refuse("the result has no model");
    if (!choice.metric.empty()) metrics = {chosen_metric(choice, metrics)};
    return metrics;
}

/// Above this many models, marks and intervals hide the lines.
constexpr std::size_t most_marked = 40;

/// True if some models have a value on the first data set, and they are from best to worst.
bool are_sorted_by(const std::vector<JsonReader>& models, std::string_view metric) {
    std::vector<double> values;
    for (const JsonReader& model : models) {
        const auto found = model["metrics"].find(metric);
        if (!found) continue;
        if (const auto value = estimate_of((*found)["first"]).value) values.push_back(*value);
    }
    return !values.empty() && std::ranges::is_sorted(values, std::greater<>());
}

/// Results are sorted by top-1, by ASMA without top-1, or by name.
std::string order_of(const JsonReader& result) {
    const std::vector<JsonReader> models = result["models"].entries();
    for (const std::string_view metric : {"top1", "asma"}) {
        if (are_sorted_by(models, metric))
            return fmt::format("place by {} on {}", metric, name_of_set(result, "first"));
    }
    return "place by name";
}

/// A model, and its place among all, from 1.
using PlacedModel = std::pair<std::size_t, JsonReader>;

/// The models in the result's order, with a line for each data set and one for the gap.
Plot ordered_plot(const JsonReader& result, const std::string& metric,
                  const std::vector<PlacedModel>& models) {
    Plot plot;
    const bool few = models.size() <= most_marked;
    plot.kind = few ? Plot::Kind::line : Plot::Kind::scatter;
    plot.title = metric;
    const std::string first = name_of_set(result, "first");
    plot.x_title = order_of(result);
    plot.y_title = "value";
    plot.series = {{.name = first, .points = {}, .joined = !few},
                   {.name = name_of_set(result, "second"), .points = {}, .joined = !few},
                   {.name = "|gap|", .points = {}, .joined = !few}};
    constexpr std::string_view drawn[] = {"first", "second", "absolute_gap"};
    for (const PlacedModel& placed : models) {
        const auto values = placed.second["metrics"].find(metric);
        if (!values) continue;
        for (std::size_t s = 0; s < plot.series.size(); ++s) {
            Point point =
                plot_point(static_cast<double>(placed.first), estimate_of((*values)[drawn[s]]));
            if (point.y.value) plot.series[s].points.push_back(std::move(point));
        }
    }
    return plot;
}

}  // namespace

std::vector<Plot> gap_plots(const JsonReader& result, const PlotChoice& choice) {
    NameChoice models("model", choice.models);
    std::vector<Plot> plots;
    for (const std::string& metric : drawn_metrics(result, choice))
        plots.push_back(gap_plot(result, metric, models));
    models.check();
    return plots;
}

std::vector<Plot> gap_model_plots(const JsonReader& result, const PlotChoice& choice) {
    const std::vector<std::string> metrics = drawn_metrics(result, choice);
    const std::vector<JsonReader> all = result["models"].entries();
    NameChoice names("model", choice.models);
    std::vector<PlacedModel> models;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool wanted = names.takes(all[i]["model"].text());
        if (wanted && (choice.top == 0 || models.size() < choice.top))
            models.emplace_back(i + 1, all[i]);
    }
    names.check();
    std::vector<Plot> plots;
    for (const std::string& metric : metrics) plots.push_back(ordered_plot(result, metric, models));
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
        for (const JsonReader& value : entry["points"].entries()) {
            if (value.json().is_null()) continue;  // a model without a value there
            Point model = plot_point(row, {});
            model.y.unit = Unit::proportion;
            model.y.value = value.number();
            points.push_back(std::move(model));
        }
    }
    return {plot};
}

}  // namespace assay
