#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <tuple>

#include "core/text.h"
#include "report/plot_recipes.h"

namespace assay {
namespace {

/// Default number of rows with readable counts, if there are more classes.
constexpr std::size_t usual_classes = 20, most_shown_whole = 30;

struct MatrixClass {
    std::string id, name;
    double images = 0, correct = 0;
    double explained = 0;  ///< images whose prediction is known; `images` in a whole result
};

struct ClassMatrix {
    std::vector<MatrixClass> classes;
    /// keyed by (true, predicted) classes
    std::map<std::pair<std::size_t, std::size_t>, double> errors;
    std::map<std::size_t, double> unmapped;  ///< predictions that are not one of the classes
};

ClassMatrix matrix_of(const JsonReader& store) {
    ClassMatrix matrix;
    std::map<std::string, std::size_t> places;
    for (const JsonReader& row : store["per_class"].entries()) {
        MatrixClass one{row["id"].text(), row["name"].text(),
                        static_cast<double>(row["accuracy"]["n"].whole()),
                        static_cast<double>(row["correct"].whole())};
        one.explained = one.correct;
        places[one.id] = matrix.classes.size();
        matrix.classes.push_back(std::move(one));
    }
    const auto place = [&](const JsonReader& id) {
        const auto found = places.find(id.text());
        if (found == places.end()) id.refuse("no class of `per_class` has this id");
        return found->second;
    };
    for (const JsonReader& row : store["confusions"].entries()) {
        const double count = static_cast<double>(row["count"].whole());
        const std::size_t truth = place(row["truth"]);
        matrix.classes[truth].explained += count;
        if (const auto predicted = row.find("predicted"))
            matrix.errors[{truth, place(*predicted)}] += count;
        else
            matrix.unmapped[truth] += count;
    }
    for (const MatrixClass& one : matrix.classes) {
        if (one.explained == one.images) continue;
        store["confusions"].refuse(
            fmt::format("{} of the {} images of `{}` are in it: measure all confusions with assay "
                        "score RUNS --per-class --confusion --json",
                        one.explained, one.images, shortened(one.id)));
    }
    return matrix;
}

/// The classes of the most frequent pairs of confused classes, in the order of the classes.
std::vector<std::size_t> most_confused(const ClassMatrix& matrix, std::size_t most) {
    std::map<std::pair<std::size_t, std::size_t>, double> pairs;
    for (const auto& [cell, count] : matrix.errors)
        pairs[std::minmax(cell.first, cell.second)] += count;
    std::vector<std::tuple<double, std::size_t, std::size_t>> order;
    for (const auto& [pair, count] : pairs) order.emplace_back(-count, pair.first, pair.second);
    std::sort(order.begin(), order.end());
    std::vector<bool> taken(matrix.classes.size());
    std::size_t n = 0;
    const auto take = [&](std::size_t c) {
        if (taken[c] || n == most) return;
        taken[c] = true;
        ++n;
    };
    for (const auto& [count, a, b] : order) {
        take(a);
        take(b);
    }
    for (std::size_t c = 0; c < taken.size(); ++c) take(c);
    std::vector<std::size_t> chosen;
    for (std::size_t c = 0; c < taken.size(); ++c)
        if (taken[c]) chosen.push_back(c);
    return chosen;
}

/// A row of the matrix: the images of one class, counted by prediction.
struct MatrixRow {
    std::vector<double> shown;
    double elsewhere = 0;
};

MatrixRow row_of(const ClassMatrix& matrix, const std::vector<std::size_t>& chosen,
                 std::size_t truth) {
    MatrixRow row;
    double sum = 0;
    for (const std::size_t c : chosen) {
        const auto found = matrix.errors.find({truth, c});
        const double count = c == truth                     ? matrix.classes[truth].correct
                             : found == matrix.errors.end() ? 0
                                                            : found->second;
        row.shown.push_back(count);
        sum += count;
    }
    row.elsewhere = matrix.classes[truth].images - sum;
    return row;
}

Point cell_of(const std::string& name, double count, double images) {
    Estimate share;
    share.unit = Unit::proportion;
    share.n = static_cast<std::uint64_t>(images);
    if (images > 0) {
        share.value = count / images;
    } else {
        share.undefined = "no images";
    }
    return plot_point(name, std::move(share),
                      count > 0 ? count_text(static_cast<std::uint64_t>(count)) : "");
}

Plot plot_of(const ClassMatrix& matrix, const std::vector<std::size_t>& chosen) {
    std::vector<Point> names;
    for (const std::size_t c : chosen) names.push_back(plot_point(matrix.classes[c].name, {}));
    tell_apart(names);
    Plot plot;
    plot.kind = Plot::Kind::cells;
    const bool all = chosen.size() == matrix.classes.size();
    plot.x_title = "predicted class";
    plot.y_title = all ? "true class"
                       : fmt::format("true class, {} most confused of {}", chosen.size(),
                                     count_text(matrix.classes.size()));
    Series others;
    others.name = all ? "none of the classes" : "other classes";
    bool any_elsewhere = false;
    plot.series.resize(chosen.size());
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        const double images = matrix.classes[chosen[i]].images;
        const std::string& name = std::get<std::string>(names[i].x);
        const MatrixRow row = row_of(matrix, chosen, chosen[i]);
        plot.series[i].name = name;
        for (std::size_t j = 0; j < chosen.size(); ++j)
            plot.series[j].points.push_back(cell_of(name, row.shown[j], images));
        others.points.push_back(cell_of(name, row.elsewhere, images));
        any_elsewhere = any_elsewhere || row.elsewhere > 0;
    }
    if (any_elsewhere) plot.series.push_back(std::move(others));
    return plot;
}

}  // namespace

std::vector<Plot> confusion_matrix_plots(const JsonReader& result, const PlotChoice& choice) {
    std::vector<std::string> datasets;
    std::vector<Plot> plots;
    for (const auto& [store, title] :
         stores_with(result, choice, "confusions", "--per-class --confusion", datasets)) {
        if (!store.find("per_class"))
            refuse(
                "no `per_class` in the result: assay score --per-class --confusion puts it "
                "there");
        const ClassMatrix matrix = matrix_of(store);
        const std::size_t classes = matrix.classes.size();
        const std::size_t most = choice.top > 0               ? choice.top
                                 : classes > most_shown_whole ? usual_classes
                                                              : classes;
        Plot plot = plot_of(matrix, most_confused(matrix, most));
        plot.title = title;
        plots.push_back(std::move(plot));
    }
    leave_out_common_ending(plots, datasets);
    return plots;
}

}  // namespace assay
