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

Point matrix_cell(const std::string& row, const JsonReader& accuracy) {
    Estimate value = estimate_of(accuracy);
    value.unit = Unit::proportion;
    const std::string text = value.value ? fmt::format("{:.2f}", *value.value) : "";
    return plot_point(row, std::move(value), text);
}

/// A column of the matrix of `own`, which is an attack on `model` itself: the accuracy of `model`
/// on the images of each of `rows`.
Series matrix_column(const JsonReader& model, const JsonReader& own,
                     const std::vector<JsonReader>& rows) {
    const std::string& name = model["model"].text();
    Series column{.name = name, .points = {}};
    for (const JsonReader& row : rows) {
        const std::string& made_on = row["model"].text();
        if (row["dataset"].text() != model["dataset"].text()) continue;
        if (made_on == name) {
            column.points.push_back(matrix_cell(name, own["accuracy"]));
            continue;
        }
        for (const JsonReader& cell : model["transferred"].entries()) {
            if (cell["made_on"].text() == made_on &&
                cell["attack"].text() == own["attack"].text() &&
                cell["eps"].number() == own["eps"].number())
                column.points.push_back(matrix_cell(made_on, cell["accuracy"]));
        }
    }
    return column;
}

}  // namespace

std::vector<Plot> attack_transfer_plots(const JsonReader& result, const PlotChoice& choice) {
    const bool linf = result["norm"].text() == "linf";
    NameChoice models("model", choice.models), sets("data set", choice.datasets);
    std::vector<Plot> plots;
    std::vector<std::string> datasets;
    std::vector<JsonReader> taken;
    for (const JsonReader& model : result["models"].entries()) {
        const bool wanted = models.takes(model["model"].text());
        if (sets.takes(model["dataset"].text()) && wanted && model.find("transferred"))
            taken.push_back(model);
    }
    models.check();
    sets.check();
    for (const JsonReader& model : taken) {
        const std::string& dataset = model["dataset"].text();
        add_once(datasets, dataset);
        for (const JsonReader& own : model["attacks"].entries()) {
            Series column = matrix_column(model, own, taken);
            // Noise is not transferred: it has the own model only.
            if (column.points.size() < 2) continue;
            const std::string title = fmt::format(
                "{} at {}, {}", own["attack"].text(),
                budget_text(own["eps"].number(), linf ? Norm::linf : Norm::l2), dataset);
            auto plot = std::ranges::find(plots, title, &Plot::title);
            if (plot == plots.end()) {
                plots.push_back({.kind = Plot::Kind::cells,
                                 .title = title,
                                 .x_title = "classified by",
                                 .y_title = "made on",
                                 .series = {}});
                plot = plots.end() - 1;
            }
            plot->series.push_back(std::move(column));
        }
    }
    if (plots.empty() && choice.models.size() == 1)
        refuse("a plot of transfer needs two models or more: add another --model, or remove it");
    if (plots.empty())
        refuse(
            "the result has no two models on the images of each other: `assay attack -m A -m B -d "
            "DATA --transfer --json` adds them");
    leave_out_common_ending(plots, datasets);
    return plots;
}

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
