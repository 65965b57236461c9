#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/refuse.h"
#include "report/plot_recipes.h"

namespace assay {
namespace {

/// Endings of the titles of stores that are not models, by data set and model.
std::map<std::pair<std::string, std::string>, std::string> titles_apart(const JsonReader& result) {
    std::map<std::pair<std::string, std::string>, std::string> titles;
    for (const JsonReader& store : result["stores"].entries()) {
        if (std::string ending = title_apart(store.find("derived")); !ending.empty())
            titles[{store["dataset"].text(), store["model"].text()}] = std::move(ending);
    }
    return titles;
}

/// Confidences are bounds and means of bins. The result has them as plain numbers.
std::vector<Point> reliability_points(const JsonReader& bins) {
    std::vector<Point> points;
    for (const JsonReader& bin : bins.entries()) {
        const auto confidence = bin.find("confidence");
        if (!confidence) continue;  // an empty bin
        Point point = plot_point(confidence->number(), estimate_of(bin["accuracy"]));
        point.y.unit = Unit::proportion;
        points.push_back(std::move(point));
    }
    return points;
}

}  // namespace

std::vector<Plot> reliability_plots(const JsonReader& result, const PlotChoice& choice) {
    std::vector<Plot> plots;
    std::vector<std::string> datasets;
    NameChoice models("model", choice.models), sets("data set", choice.datasets);
    bool left_out = false;
    for (const JsonReader& store : result["stores"].entries()) {
        const std::string& model = store["model"].text();
        const std::string& dataset = store["dataset"].text();
        const bool wanted = models.takes(model);
        if (!sets.takes(dataset) || !wanted) continue;
        const auto bins = store.find("reliability");
        left_out = left_out || !bins;
        if (!bins) continue;
        add_once(datasets, dataset);
        Plot plot;
        plot.kind = Plot::Kind::line;
        plot.title = fmt::format("{}, {}", model, dataset);
        plot.x_title = "confidence";
        plot.y_title = "accuracy";
        plot.x_unit = Unit::proportion;
        plot.equal = true;
        plot.series.push_back({.name = "", .points = reliability_points(*bins)});
        plots.push_back(std::move(plot));
    }
    models.check();
    sets.check();
    if (plots.empty()) {
        refuse(left_out
                   ? "the result has no `reliability`: add it with `assay score RUNS --reliability`"
                   : "the result has no scores");
    }
    leave_out_common_ending(plots, datasets);
    return plots;
}

std::vector<Plot> score_plots(const JsonReader& result, const PlotChoice& choice) {
    const std::vector<JsonReader> measurements = result["measurements"].entries();
    const auto apart = titles_apart(result);
    std::vector<std::string> metrics;
    for (const JsonReader& m : measurements) add_once(metrics, m["metric"].text());
    const std::string metric = chosen_metric(choice, metrics);
    NameChoice models("model", choice.models), sets("data set", choice.datasets);
    std::vector<Plot> plots;
    std::vector<std::string> said;  // by plot: other parameters mean another metric
    for (const JsonReader& m : measurements) {
        const std::string& dataset = m["dataset"].text();
        const bool wanted = models.takes(m["model"].text());
        if (!sets.takes(dataset) || !wanted) continue;
        if (m["metric"].text() != metric || m.find("subgroup")) continue;
        const std::string definition = m["definition"].text();
        const auto ending = apart.find({dataset, m["model"].text()});
        const std::string title = dataset + (ending == apart.end() ? "" : ending->second);
        const auto found = std::find_if(plots.begin(), plots.end(),
                                        [&](const Plot& p) { return p.title == title; });
        const auto at = static_cast<std::size_t>(found - plots.begin());
        if (found == plots.end()) {
            Plot plot;
            plot.title = title;
            plot.y_title = metric;
            plot.series.emplace_back();
            plots.push_back(std::move(plot));
            said.push_back(definition);
        }
        if (said[at] == definition)
            plots[at].series.front().points.push_back(
                plot_point(m["model"].text(), estimate_of(m)));
    }
    models.check();
    sets.check();
    if (plots.empty()) refuse(fmt::format("the result has no values of `{}`", metric));
    for (std::size_t i = 0; i < plots.size(); ++i) {
        tell_apart(plots[i].series.front().points);
        keep_top(plots[i].series.front().points, choice);
        if (said[i] != said.front()) plots[i].title += fmt::format(" ({})", said[i]);
    }
    return plots;
}

}  // namespace assay
