#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/refuse.h"
#include "report/plot_recipes.h"

namespace assay {
namespace {

/// A classifier of the result: its name, and its row and column in the matrices.
struct MatrixPlace {
    std::string name;
    std::size_t at = 0;
};

/// The chosen classifiers, the best first.
std::vector<MatrixPlace> matrix_places(const JsonReader& result, const PlotChoice& choice) {
    NameChoice models("classifier", choice.models);
    const std::vector<JsonReader> rows = result["classifiers"].entries();
    std::vector<std::size_t> order(rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const auto key = [&](std::size_t i) {
            return std::pair(rows[i]["component"].whole(), rows[i]["place"].number());
        };
        return key(a) < key(b);
    });
    std::vector<MatrixPlace> out;
    for (const std::size_t i : order) {
        const std::string& name = rows[i]["classifier"].text();
        if (models.takes(name)) out.push_back({name, i});
    }
    models.check();
    if (out.empty()) refuse("the result has no classifier");
    if (choice.top > 0 && out.size() > choice.top) out.resize(choice.top);
    return out;
}

Plot matrix_plot(const JsonReader& matrix, const std::vector<MatrixPlace>& places,
                 std::size_t classifiers) {
    const auto entries_of = [&](const JsonReader& list) {
        std::vector<JsonReader> entries = list.entries();
        if (entries.size() != classifiers)
            list.refuse(fmt::format("{} entries, but there are {} classifiers", entries.size(),
                                    classifiers));
        return entries;
    };
    const std::vector<JsonReader> rows = entries_of(matrix);
    std::vector<Point> names;
    for (const MatrixPlace& one : places) names.push_back(plot_point(one.name, {}));
    tell_apart(names);
    Plot plot;
    plot.kind = Plot::Kind::cells;
    plot.x_title = "against";
    plot.y_title = "classifier";
    for (const Point& name : names)
        plot.series.push_back({.name = std::get<std::string>(name.x), .points = {}});
    for (std::size_t i = 0; i < places.size(); ++i) {
        const std::vector<JsonReader> row = entries_of(rows[places[i].at]);
        for (std::size_t j = 0; j < places.size(); ++j) {
            const JsonReader& cell = row[places[j].at];
            Estimate value;
            value.unit = Unit::proportion;
            if (i != j && !cell.json().is_null()) value.value = cell.number();
            const std::string text = value.value ? fmt::format("{:.2f}", *value.value) : "";
            plot.series[j].points.push_back(plot_point(names[i].x, std::move(value), text));
        }
    }
    return plot;
}

}  // namespace

std::vector<Plot> mad_pair_plots(const JsonReader& result, const PlotChoice& choice) {
    const std::vector<MatrixPlace> places = matrix_places(result, choice);
    const std::size_t classifiers = result["classifiers"].entries().size();
    // Smoothing gives a pair without settled images a half, and a pair that was never searched has
    // a zero. Neither says anything.
    std::set<std::pair<std::string, std::string>> settled;
    for (const JsonReader& pair : result["pairs"].entries()) {
        if (pair["images"].whole() == 0) continue;
        settled.emplace(pair["first"].text(), pair["second"].text());
        settled.emplace(pair["second"].text(), pair["first"].text());
    }
    std::vector<Plot> plots;
    for (const auto& [field, title] :
         {std::pair<std::string_view, const char*>{"aggressiveness", "Aggressiveness"},
          {"better", "Probability of being better"}}) {
        plots.push_back(matrix_plot(result[field], places, classifiers));
        plots.back().title = title;
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
        for (std::size_t j = 0; j < places.size(); ++j) {
            if (settled.contains({places[i].name, places[j].name})) continue;
            Point& cell = plots.front().series[j].points[i];
            cell.y.value.reset();
            cell.label.clear();
        }
    }
    return plots;
}

std::vector<Plot> mad_ablation_plots(const JsonReader& result, const PlotChoice&) {
    Series spearman{.name = "Spearman's ρ", .points = {}},
        kendall{.name = "Kendall's τ", .points = {}};
    for (const JsonReader& row : result["ablation"].entries()) {
        const double k = row["k"].number();
        spearman.points.push_back(plot_point(k, estimate_of(row["srcc"])));
        kendall.points.push_back(plot_point(k, estimate_of(row["kendall"])));
    }
    if (spearman.points.empty())
        refuse(
            "the result has no rankings by fewer images: `assay mad rank COMPETITION --ablation "
            "--json` adds them");
    Plot plot;
    plot.kind = Plot::Kind::line;
    plot.title = "Ranking by fewer images";
    plot.x_title = "images of each pair";
    plot.y_title = "correlation with the whole ranking";
    plot.series = {std::move(spearman), std::move(kendall)};
    return {plot};
}

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
