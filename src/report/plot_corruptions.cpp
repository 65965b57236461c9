#include <algorithm>

#include "core/refuse.h"
#include "report/plot_recipes.h"

namespace assay {
namespace {

Series& series_named(Plot& plot, const std::string& name) {
    for (Series& series : plot.series) {
        if (series.name == name) return series;
    }
    plot.series.push_back({.name = name, .points = {}});
    return plot.series.back();
}

}  // namespace

std::vector<Plot> corruption_plots(const JsonReader& result, const PlotChoice& choice) {
    NameChoice models("model", choice.models);
    std::vector<Plot> plots;
    for (const JsonReader& model : result["models"].entries()) {
        const std::string& name = model["model"].text();
        if (!models.takes(name)) continue;
        for (const JsonReader& version : model["versions"].entries()) {
            std::string title = version["corruption"].text();
            std::replace(title.begin(), title.end(), '_', ' ');
            auto plot = std::find_if(plots.begin(), plots.end(),
                                     [&](const Plot& p) { return p.title == title; });
            if (plot == plots.end()) {
                plots.emplace_back();
                plot = plots.end() - 1;
                plot->kind = Plot::Kind::line;
                plot->title = title;
                plot->x_title = "severity";
                plot->y_title = "accuracy";
            }
            series_named(*plot, name)
                .points.push_back(
                    plot_point(version["severity"].number(), estimate_of(version["accuracy"])));
        }
    }
    models.check();
    if (plots.empty()) refuse("the result has no corrupted version");
    for (Plot& plot : plots) {
        for (Series& series : plot.series) {
            std::stable_sort(series.points.begin(), series.points.end(),
                             [](const Point& a, const Point& b) {
                                 return std::get<double>(a.x) < std::get<double>(b.x);
                             });
        }
    }
    return plots;
}

}  // namespace assay
