#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "core/refuse.h"
#include "report/plot_recipes.h"

namespace assay {
namespace {

Series certified_series(const JsonReader& model) {
    Series series{.name = model["model"].text(), .points = {}};
    for (const JsonReader& point : model["curve"].entries()) {
        series.points.push_back(
            plot_point(point["radius"].number(), estimate_of(point["accuracy"])));
    }
    return series;
}

}  // namespace

std::vector<Plot> certify_plots(const JsonReader& result, const PlotChoice& choice) {
    NameChoice models("model", choice.models), sets("data set", choice.datasets);
    std::vector<Plot> plots;
    for (const JsonReader& model : result["models"].entries()) {
        const std::string& dataset = model["dataset"].text();
        const bool wanted = models.takes(model["model"].text());
        if (!sets.takes(dataset) || !wanted) continue;
        auto plot = std::ranges::find(plots, dataset, &Plot::title);
        if (plot == plots.end()) {
            plots.push_back({.kind = Plot::Kind::line,
                             .title = dataset,
                             .x_title = "l2 radius",
                             .y_title = "certified accuracy",
                             .series = {}});
            plot = std::prev(plots.end());
        }
        plot->series.push_back(certified_series(model));
    }
    models.check();
    sets.check();
    if (plots.empty()) refuse("the result has no certified model");
    return plots;
}

}  // namespace assay
