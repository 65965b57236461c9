#include <fmt/format.h>

#include <algorithm>

#include "assay/evaluate/attack.h"
#include "core/refuse.h"
#include "report/plot_recipes.h"

namespace assay {
namespace {

/// Accuracy as a function of the budget of one attack, starting with the accuracy without an
/// attack.
Series attack_series(const JsonReader& model, const std::string& attack, double scale) {
    Series series{.name = attack, .points = {plot_point(0.0, estimate_of(model["clean"]))}};
    for (const JsonReader& cell : model["attacks"].entries()) {
        if (cell["attack"].text() != attack) continue;
        const double eps = cell["eps"].number();
        if (eps > 0) {
            series.points.push_back(plot_point(eps * scale, estimate_of(cell["accuracy"])));
        } else {
            series.points.front() = plot_point(0.0, estimate_of(cell["accuracy"]));
        }
    }
    std::stable_sort(series.points.begin(), series.points.end(),
                     [](const Point& a, const Point& b) {
                         return std::get<double>(a.x) < std::get<double>(b.x);
                     });
    return series;
}

}  // namespace

std::vector<Plot> attack_plots(const JsonReader& result, const PlotChoice& choice) {
    // Papers measure the largest change in steps of 8-bit pixels, and do not convert the Euclidean
    // norm.
    const bool linf = result["norm"].text() == "linf";
    NameChoice models("model", choice.models), sets("data set", choice.datasets);
    std::vector<Plot> plots;
    std::vector<std::string> datasets;
    for (const JsonReader& model : result["models"].entries()) {
        const std::string &name = model["model"].text(), &dataset = model["dataset"].text();
        const bool wanted = models.takes(name);
        if (!sets.takes(dataset) || !wanted) continue;
        add_once(datasets, dataset);
        Plot plot;
        plot.kind = Plot::Kind::line;
        plot.title = fmt::format("{}, {}", name, dataset);
        plot.x_title = linf ? "budget (255ths of a pixel's range)"
                            : fmt::format("budget ({})", result["norm"].text());
        plot.y_title = "accuracy";
        std::vector<std::string> attacks;
        for (const JsonReader& cell : model["attacks"].entries())
            add_once(attacks, cell["attack"].text());
        for (const std::string& attack : attacks)
            plot.series.push_back(attack_series(model, attack, linf ? 255 : 1));
        plots.push_back(std::move(plot));
    }
    models.check();
    sets.check();
    if (plots.empty()) refuse("the result has no attacked model");
    leave_out_common_ending(plots, datasets);
    return plots;
}

}  // namespace assay
