#include <algorithm>

#include "core/refuse.h"
#include "report/plot_recipes.h"

namespace assay {

std::vector<Plot> mad_ranking_plots(const JsonReader& result, const PlotChoice& choice) {
    NameChoice models("classifier", choice.models);
    Series series;
    for (const JsonReader& row : result["classifiers"].entries()) {
        const std::string& name = row["classifier"].text();
        if (models.takes(name))
            series.points.push_back(plot_point(name, estimate_of(row["score"])));
    }
    models.check();
    if (series.points.empty()) refuse("the result has no classifier");
    // Sorts the best first. Models without a score are last.
    std::stable_sort(series.points.begin(), series.points.end(),
                     [](const Point& a, const Point& b) {
                         if (!a.y.value || !b.y.value) return a.y.value && !b.y.value;
                         return *a.y.value > *b.y.value;
                     });
    tell_apart(series.points);
    keep_top(series.points, choice);
    Plot plot;
    plot.title = "Ranking";
    plot.y_title = "score";
    plot.series.push_back(std::move(series));
    return {plot};
}

}  // namespace assay
