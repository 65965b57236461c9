#include <fmt/format.h>

#include <algorithm>

#include "core/refuse.h"
#include "report/plot_recipes.h"

namespace assay {

std::vector<Plot> comparison_plots(const JsonReader& result, const PlotChoice& choice) {
    const std::vector<JsonReader> pairs = result["pairs"].entries();
    std::vector<std::string> metrics, baselines;
    for (const JsonReader& pair : pairs) {
        for (const JsonReader& m : pair["metrics"].entries()) add_once(metrics, m["metric"].text());
        add_once(baselines, pair["baseline"].text());
    }
    const std::string metric = chosen_metric(choice, metrics);
    NameChoice models("model", choice.models), sets("data set", choice.datasets);
    std::vector<Plot> plots;
    for (const JsonReader& pair : pairs) {
        const std::string &dataset = pair["dataset"].text(), &baseline = pair["baseline"].text(),
                          &candidate = pair["candidate"].text();
        const bool wanted = models.takes(candidate);
        if (!sets.takes(dataset) || !wanted) continue;
        const std::string title = dataset + title_apart(pair.find("derived"));
        for (const JsonReader& m : pair["metrics"].entries()) {
            if (m["metric"].text() != metric) continue;
            auto plot = std::find_if(plots.begin(), plots.end(),
                                     [&](const Plot& p) { return p.title == title; });
            if (plot == plots.end()) {
                plots.emplace_back();
                plot = plots.end() - 1;
                plot->title = title;
                plot->y_title = baselines.size() == 1
                                    ? fmt::format("{} minus that of {}", metric, baseline)
                                    : fmt::format("difference in {}", metric);
                plot->series.emplace_back();
            }
            plot->series.front().points.push_back(plot_point(
                baselines.size() == 1 ? candidate : fmt::format("{} − {}", candidate, baseline),
                estimate_of(m["difference"])));
            break;  // other parameters mean another metric
        }
    }
    models.check();
    sets.check();
    if (plots.empty()) refuse(fmt::format("the result has no difference in `{}`", metric));
    for (Plot& plot : plots) {
        tell_apart(plot.series.front().points);
        keep_top(plot.series.front().points, choice);
    }
    return plots;
}

}  // namespace assay
