#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/refuse.h"
#include "report/plot_recipes.h"

namespace assay {
namespace {

/// Default number of rows if there are too many to read quickly.
constexpr std::size_t usual_rows = 30;

double accuracy_or_last(const Point& point) {
    return point.y.value.value_or(std::numeric_limits<double>::infinity());
}

}  // namespace

std::vector<ChosenStore> stores_with(const JsonReader& result, const PlotChoice& choice,
                                     std::string_view part, std::string_view option,
                                     std::vector<std::string>& datasets) {
    NameChoice models("model", choice.models), sets("data set", choice.datasets);
    std::vector<ChosenStore> chosen;
    bool left_out = false;
    for (const JsonReader& store : result["stores"].entries()) {
        const std::string &model = store["model"].text(), &dataset = store["dataset"].text();
        const bool wanted = models.takes(model);
        if (!sets.takes(dataset) || !wanted) continue;
        left_out = left_out || !store.find(part);
        if (!store.find(part)) continue;
        add_once(datasets, dataset);
        chosen.push_back({store, fmt::format("{}, {}", model, dataset)});
    }
    models.check();
    sets.check();
    if (chosen.empty())
        refuse(left_out ? fmt::format("the result has no `{}`: add it with `assay score {}`", part,
                                      option)
                        : std::string("the result has no scores"));
    return chosen;
}

std::vector<Plot> class_plots(const JsonReader& result, const PlotChoice& choice) {
    std::vector<std::string> datasets;
    std::vector<Plot> plots;
    for (const auto& [store, title] :
         stores_with(result, choice, "per_class", "--per-class", datasets)) {
        Series series;
        for (const JsonReader& row : store["per_class"].entries()) {
            Point point = plot_point(row["name"].text(), estimate_of(row["accuracy"]));
            point.y.unit = Unit::proportion;
            series.points.push_back(std::move(point));
        }
        const std::size_t classes = series.points.size();
        std::stable_sort(series.points.begin(), series.points.end(),
                         [](const Point& a, const Point& b) {
                             return accuracy_or_last(a) < accuracy_or_last(b);
                         });
        tell_apart(series.points);
        PlotChoice own = choice;
        if (own.top == 0 && classes > most_categories) own.top = usual_rows;
        keep_top(series.points, own);
        const std::size_t kept = series.points.size();
        Plot plot;
        plot.title = title;
        plot.y_title = kept == classes ? "accuracy"
                                       : fmt::format("accuracy, {} worst of {} classes", kept,
                                                     count_text(classes));
        plot.series.push_back(std::move(series));
        plots.push_back(std::move(plot));
    }
    leave_out_common_ending(plots, datasets);
    return plots;
}

std::vector<Plot> confusion_plots(const JsonReader& result, const PlotChoice& choice) {
    std::vector<std::string> datasets;
    std::vector<Plot> plots;
    for (const auto& [store, title] :
         stores_with(result, choice, "confusions", "--confusion", datasets)) {
        Series series;
        for (const JsonReader& row : store["confusions"].entries()) {
            const auto predicted = row.find("predicted");
            Estimate count;
            count.value = row["count"].number();
            series.points.push_back(
                plot_point(fmt::format("{} → {}", row["truth"].text(),
                                       predicted ? predicted->text() : "none of the classes"),
                           std::move(count)));
        }
        std::stable_sort(series.points.begin(), series.points.end(),
                         [](const Point& a, const Point& b) { return *a.y.value > *b.y.value; });
        PlotChoice own = choice;
        if (own.top == 0) own.top = usual_rows;
        keep_top(series.points, own);
        tell_apart(series.points);
        Plot plot;
        plot.kind = Plot::Kind::bars;
        plot.title = title;
        plot.y_title = "images";
        plot.series.push_back(std::move(series));
        plots.push_back(std::move(plot));
    }
    leave_out_common_ending(plots, datasets);
    return plots;
}

}  // namespace assay
