// Plots of the file of `assay replicate adjust --figures`.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/refuse.h"
#include "report/plot_recipes.h"

namespace assay {
namespace {

constexpr std::uint64_t most_annotators = 4096;
/// More lines cannot be told apart in one plot.
constexpr std::size_t most_lines = 6;

std::uint64_t annotators_of(const JsonReader& row) {
    return row["annotators"].whole(1, most_annotators);
}

/// At most `most_lines` of the numbers, evenly spaced, with the largest.
std::set<std::uint64_t> spaced(const std::set<std::uint64_t>& numbers) {
    if (numbers.size() <= most_lines) return numbers;
    const std::vector<std::uint64_t> all(numbers.begin(), numbers.end());
    std::set<std::uint64_t> out;
    for (std::size_t i = 1; i <= most_lines; ++i) out.insert(all[i * all.size() / most_lines - 1]);
    return out;
}

std::set<std::uint64_t> numbers_in(const std::vector<JsonReader>& rows) {
    std::set<std::uint64_t> numbers;
    for (const JsonReader& row : rows) numbers.insert(annotators_of(row));
    if (numbers.empty()) refuse("the result has no annotators");
    return numbers;
}

/// The readings of the largest number of annotators.
JsonReader all_readings(const std::vector<JsonReader>& rows) {
    if (rows.empty()) refuse("the result has no readings");
    return *std::ranges::max_element(rows, [](const JsonReader& a, const JsonReader& b) {
        return annotators_of(a) < annotators_of(b);
    });
}

/// A line for each number of annotators: one value of the images with k of n selections, over k/n.
Plot over_readings(const JsonReader& result, const char* set, const char* value,
                   std::string y_title) {
    Plot plot;
    plot.kind = Plot::Kind::line;
    plot.title = set;
    plot.x_title = "selection frequency";
    plot.x_unit = Unit::proportion;
    plot.y_title = std::move(y_title);
    const std::vector<JsonReader> rows = result["readings"].entries();
    const std::set<std::uint64_t> shown = spaced(numbers_in(rows));
    for (const JsonReader& row : rows) {
        const std::uint64_t n = annotators_of(row);
        if (!shown.contains(n)) continue;
        Series series{.name = fmt::format("{} annotator{}", n, n == 1 ? "" : "s"), .points = {}};
        const std::vector<JsonReader> bins = row[set].entries();
        for (std::size_t k = 0; k < bins.size(); ++k) {
            Estimate y = estimate_of(bins[k][value]);
            if (y.value)
                series.points.push_back(
                    plot_point(static_cast<double>(k) / static_cast<double>(n), std::move(y)));
        }
        plot.series.push_back(std::move(series));
    }
    return plot;
}

std::vector<std::string> methods_in(const std::vector<JsonReader>& rows) {
    std::vector<std::string> methods;
    for (const JsonReader& row : rows) add_once(methods, row["method"].text());
    return methods;
}

constexpr const char* two_sets[] = {"original", "replication"};

}  // namespace

std::vector<Plot> replicate_histogram_plots(const JsonReader& result, const PlotChoice&) {
    const JsonReader all = all_readings(result["readings"].entries());
    Plot plot;
    plot.kind = Plot::Kind::bars;
    plot.title = "Images by their selections";
    plot.y_title = "images";
    for (const char* set : two_sets) {
        Series series{.name = set, .points = {}};
        const std::vector<JsonReader> bins = all[set].entries();
        for (std::size_t k = 0; k < bins.size(); ++k)
            series.points.push_back(plot_point(fmt::format("{} of {}", k, annotators_of(all)),
                                               estimate_of(bins[k]["images"])));
        plot.series.push_back(std::move(series));
    }
    return {plot};
}

std::vector<Plot> replicate_skew_plots(const JsonReader& result, const PlotChoice&) {
    return {over_readings(result, "original", "images", "images"),
            over_readings(result, "replication", "images", "images")};
}

std::vector<Plot> replicate_accuracy_plots(const JsonReader& result, const PlotChoice&) {
    return {over_readings(result, "original", "accuracy", "mean accuracy"),
            over_readings(result, "replication", "accuracy", "mean accuracy")};
}

std::vector<Plot> replicate_fit_plots(const JsonReader& result, const PlotChoice&) {
    const auto fitted = result.find("fitted_readings");
    if (!fitted) {
        refuse(
            "the result has no `fitted_readings`: make it with `assay replicate adjust --methods "
            "pl --figures FILE`");
    }
    const JsonReader all = all_readings(result["readings"].entries());
    std::vector<Plot> plots;
    for (const char* set : two_sets) {
        Plot plot;
        plot.kind = Plot::Kind::scatter;
        plot.title = set;
        plot.x_title = fmt::format("selections of {}", annotators_of(all));
        plot.y_title = "images";
        Series observed{.name = "observed", .points = {}};
        Series fit{.name = "fitted", .points = {}, .joined = true};
        const std::vector<JsonReader> bins = all[set].entries();
        const std::vector<JsonReader> values = (*fitted)[set].entries();
        for (std::size_t k = 0; k < bins.size(); ++k) {
            const auto x = static_cast<double>(k);
            observed.points.push_back(plot_point(x, estimate_of(bins[k]["images"])));
            if (k >= values.size()) continue;
            Estimate value;
            value.unit = Unit::proportion;
            value.value = values[k].number();
            fit.points.push_back(plot_point(x, std::move(value)));
        }
        plot.series = {std::move(observed), std::move(fit)};
        plots.push_back(std::move(plot));
    }
    return plots;
}

std::vector<Plot> replicate_annotator_plots(const JsonReader& result, const PlotChoice&) {
    const std::vector<JsonReader> rows = result["annotators"].entries();
    Plot plot;
    plot.kind = Plot::Kind::line;
    plot.title = "Remaining gap";
    plot.x_title = "annotators";
    plot.y_title = "mean remaining gap";
    for (const std::string& method : methods_in(rows)) {
        Series series{.name = method, .points = {}};
        for (const JsonReader& row : rows) {
            if (row["method"].text() != method) continue;
            Estimate remaining = estimate_of(row["remaining"]);
            if (remaining.value)
                series.points.push_back(
                    plot_point(static_cast<double>(annotators_of(row)), std::move(remaining)));
        }
        plot.series.push_back(std::move(series));
    }
    return {plot};
}

std::vector<Plot> replicate_model_plots(const JsonReader& result, const PlotChoice& choice) {
    const std::vector<JsonReader> rows = result["annotators"].entries();
    const std::vector<JsonReader> classifiers = result["scatter"]["classifiers"].entries();
    const std::set<std::uint64_t> shown = spaced(numbers_in(rows));
    NameChoice models("classifier", choice.models);
    std::vector<Plot> plots;
    for (const std::string& method : methods_in(rows)) {
        Plot plot;
        plot.title = method;
        plot.x_title = "original";
        plot.y_title = "adjusted replication";
        plot.x_unit = Unit::proportion;
        plot.equal = true;
        for (const JsonReader& row : rows) {
            const std::uint64_t n = annotators_of(row);
            if (row["method"].text() != method || !shown.contains(n)) continue;
            Series series{.name = fmt::format("{} annotator{}", n, n == 1 ? "" : "s"),
                          .points = {}};
            const std::vector<JsonReader> adjusted = row["classifiers"].entries();
            for (std::size_t i = 0; i < std::min(adjusted.size(), classifiers.size()); ++i) {
                if (!models.takes(classifiers[i]["name"].text())) continue;
                const Estimate original = estimate_of(classifiers[i]["original"]);
                Estimate y = estimate_of(adjusted[i]);
                if (!original.value || !y.value) continue;
                y.interval.reset();  // those of several numbers would cover one another
                series.points.push_back(plot_point(*original.value, std::move(y)));
            }
            plot.series.push_back(std::move(series));
        }
        plots.push_back(std::move(plot));
    }
    models.check();
    return plots;
}

}  // namespace assay
