#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/error.h"
#include "core/refuse.h"
#include "core/text.h"
#include "report/plot_recipes.h"

namespace assay {
namespace {

std::string spoken(std::string name) {
    std::replace(name.begin(), name.end(), '_', ' ');
    return name;
}

/// `p` names the p-value; without one, the difference is not significant.
bool is_significant(const JsonReader& row, std::string_view p) {
    constexpr double usual_level = 0.05;
    const auto found = row.find(p);
    return found && found->number() < usual_level;
}

/// Unknown names are a usage error with the nearest one.
std::string dimension_named(const std::string& wanted, const char* usual,
                            const std::vector<std::string>& there) {
    const std::string name = wanted.empty() ? usual : wanted;
    if (std::find(there.begin(), there.end(), name) != there.end()) return name;
    throw Error(ErrorCode::usage, fmt::format("the result has no dimension `{}`{}", shortened(name),
                                              suggest(name, there)));
}

}  // namespace

std::string abbreviated_dimension(const std::string& dimension) {
    constexpr std::pair<std::string_view, std::string_view> known[] = {
        {"accuracy", "Acc."},
        {"adversarial_robustness", "Adv. Rob."},
        {"c_robustness", "C-Rob."},
        {"ood_robustness", "OOD Rob."},
        {"calibration_error", "Cal. Err."},
        {"class_balance", "Class Bal."},
        {"object_focus", "Obj. Focus"},
        {"shape_bias", "Shape Bias"},
        {"parameters", "Params."}};
    for (const auto& [name, shorter] : known)
        if (name == dimension) return std::string(shorter);
    return spoken(dimension);
}

std::vector<Plot> quality_scatter_plots(const JsonReader& result, const PlotChoice& choice) {
    const std::vector<JsonReader> rows = result["models"].entries();
    std::vector<std::string> there;
    for (const JsonReader& row : rows) {
        const JsonReader cells = row["dimensions"];
        for (const auto& [name, cell] : cells.object().items()) add_once(there, name);
    }
    const std::string x = dimension_named(choice.x, "accuracy", there);
    const std::string y = dimension_named(choice.y, "c_robustness", there);
    NameChoice models("model", choice.models);
    Plot plot;
    plot.title = fmt::format("{} by {}", spoken(y), spoken(x));
    plot.x_title = spoken(x);
    plot.y_title = spoken(y);
    Series series;
    for (const JsonReader& row : rows) {
        const std::string& name = row["name"].text();
        const auto across = row["dimensions"].find(x), up = row["dimensions"].find(y);
        if (!models.takes(name) || !across || !up) continue;
        const Estimate first = estimate_of(*across);
        if (!first.value) continue;
        Point point = plot_point(*first.value, estimate_of(*up), name);
        point.x_interval = first.interval;
        plot.x_unit = first.unit;
        series.points.push_back(std::move(point));
    }
    models.check();
    keep_top(series.points, choice);
    plot.series.push_back(std::move(series));
    return {plot};
}

std::vector<Plot> quality_correlation_plots(const JsonReader& result, const PlotChoice& choice) {
    Series series;
    for (const JsonReader& pair : result["pairs"].entries()) {
        const std::string_view mark = is_significant(pair, "p_adjusted") ? "" : " †";
        series.points.push_back(
            plot_point(fmt::format("{}, {}{}", abbreviated_dimension(pair["x"].text()),
                                   abbreviated_dimension(pair["y"].text()), mark),
                       estimate_of(pair["rho"])));
    }
    if (series.points.empty()) refuse("the result has no pair of dimensions");
    std::stable_sort(series.points.begin(), series.points.end(),
                     [](const Point& a, const Point& b) {
                         return std::abs(a.y.value.value_or(0)) > std::abs(b.y.value.value_or(0));
                     });
    tell_apart(series.points);
    keep_top(series.points, choice);
    Plot plot;
    plot.title = "Rank correlations";
    plot.y_title = "Spearman's ρ (†: p ≥ 0.05)";
    plot.series.push_back(std::move(series));
    return {plot};
}

namespace {

/// Rows and columns in the order of the dimensions, below the diagonal.
Plot correlation_matrix(const JsonReader& pairs) {
    Plot plot;
    plot.kind = Plot::Kind::cells;
    plot.y_title = "Spearman's ρ (†: p ≥ 0.05)";
    for (const JsonReader& pair : pairs.entries()) {
        const std::string column = abbreviated_dimension(pair["y"].text());
        auto series = std::ranges::find(plot.series, column, &Series::name);
        if (series == plot.series.end())
            series = plot.series.insert(series, {.name = column, .points = {}});
        Estimate rho = estimate_of(pair["rho"]);
        std::string text;
        if (rho.value) {
            text = without_sign_of_zero(fmt::format("{:.2f}", *rho.value));
            if (text.front() == '-') text.replace(0, 1, "−");
            if (!is_significant(pair, "p_adjusted")) text += "†";
        }
        series->points.push_back(
            plot_point(abbreviated_dimension(pair["x"].text()), std::move(rho), text));
    }
    if (plot.series.empty()) refuse("the result has no pair of dimensions");
    return plot;
}

}  // namespace

std::vector<Plot> quality_matrix_plots(const JsonReader& result, const PlotChoice&) {
    std::vector<Plot> plots = {correlation_matrix(result["pairs"])};
    plots.front().title = "All models";
    const auto groups = result.find("groups");
    if (!groups) return plots;
    for (const JsonReader& group : groups->entries()) {
        plots.push_back(correlation_matrix(group["pairs"]));
        plots.back().title = group["value"].text();
    }
    return plots;
}

std::vector<Plot> quality_group_plots(const JsonReader& result, const PlotChoice&) {
    Series series{.name = "", .points = {}};
    for (const JsonReader& row : result["dimensions"].entries()) {
        std::string name = abbreviated_dimension(row["dimension"].text());
        if (is_significant(row, "p_holm")) name += " *";
        series.points.push_back(plot_point(std::move(name), estimate_of(row["effect"])));
    }
    if (series.points.empty()) refuse("the result has no dimension");
    Plot plot;
    plot.title = "Difference of two groups";
    plot.y_title = "Hedges' g, second − first (*: p < 0.05)";
    plot.series.push_back(std::move(series));
    return {plot};
}

std::vector<Plot> quality_score_plots(const JsonReader& result, const PlotChoice& choice) {
    NameChoice models("model", choice.models);
    Series series;
    for (const JsonReader& row : result["models"].entries()) {
        const std::string& name = row["model"].text();
        if (!models.takes(name)) continue;
        series.points.push_back(plot_point(name, estimate_of(row["score"])));
    }
    models.check();
    if (series.points.empty()) refuse("the result has no model");
    tell_apart(series.points);
    keep_top(series.points, choice);
    Plot plot;
    plot.title = "QUBA scores";
    plot.y_title = "QUBA score";
    plot.series.push_back(std::move(series));
    return {plot};
}

}  // namespace assay
