#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "core/refuse.h"
#include "report/plot_recipes.h"

namespace assay {
namespace {

constexpr const char* both_sets[] = {"original", "replication"};

/// The method whose numbers the verdict quotes.
JsonReader quoted_method(const JsonReader& result) {
    const std::string& quoted = result["quoted"].text();
    for (const JsonReader& method : result["methods"].entries())
        if (method["id"].text() == quoted) return method;
    refuse(fmt::format("the result quotes the method `{}`, but does not have it", quoted));
}

std::vector<double> numbers_of(const JsonReader& list) {
    std::vector<double> out;
    for (const JsonReader& entry : list.entries()) out.push_back(entry.number());
    return out;
}

double log_odds(double rate) {
    return std::log(rate / (1 - rate));
}

/// Most images have rates near 1, where a density of the rate has no bound. The density of the
/// log-odds has one, and both ends of the axis can be read.
Plot over_log_odds(std::string title, std::string y_title) {
    Plot plot;
    plot.kind = Plot::Kind::scatter;
    plot.title = std::move(title);
    plot.x_title = "selection rate (log-odds)";
    plot.y_title = std::move(y_title);
    return plot;
}

Series curve(std::string name, const std::vector<double>& rates, const std::vector<double>& values,
             Unit unit = Unit::number) {
    if (values.size() != rates.size())
        refuse(fmt::format("{} values at {} rates", values.size(), rates.size()));
    Series series{.name = std::move(name), .points = {}, .joined = true};
    for (std::size_t i = 0; i < rates.size(); ++i) {
        Estimate value;
        value.value = values[i];
        value.unit = unit;
        series.points.push_back(plot_point(log_odds(rates[i]), std::move(value)));
    }
    return series;
}

/// Converts a density of the rate to one of its log-odds, by the factor s (1 - s).
std::vector<double> of_log_odds(const std::vector<double>& rates, const JsonReader& density) {
    std::vector<double> out = numbers_of(density);
    if (out.size() != rates.size())
        refuse(fmt::format("{} values at {} rates", out.size(), rates.size()));
    for (std::size_t i = 0; i < out.size(); ++i) out[i] *= rates[i] * (1 - rates[i]);
    return out;
}

/// The density of images that k of n select. It is the density times s^k (1 - s)^(n - k), with area
/// 1 by trapezoids between the first rate and the last.
std::vector<double> given_reading(const std::vector<double>& rates, std::vector<double> density,
                                  int n, int k) {
    double most = -1e300;
    std::vector<double> weight;
    for (const double s : rates) {
        weight.push_back(k * std::log(s) + (n - k) * std::log1p(-s));
        most = std::max(most, weight.back());
    }
    for (std::size_t i = 0; i < rates.size(); ++i) density[i] *= std::exp(weight[i] - most);
    double area = 0;
    for (std::size_t i = 1; i < rates.size(); ++i)
        area += (density[i] + density[i - 1]) / 2 * (log_odds(rates[i]) - log_odds(rates[i - 1]));
    for (double& d : density) d = area > 0 ? d / area : 0;
    return density;
}

/// The number of annotators that most images have. For ties, the larger number.
int usual_number(const std::vector<JsonReader>& cells) {
    std::map<int, double> images;
    for (const JsonReader& cell : cells)
        images[static_cast<int>(cell["n"].whole(1, 512))] += cell["images"].number();
    if (images.empty()) refuse("no readings in the result");
    int usual = 0;
    double most = -1;
    for (const auto& [n, count] : images) {
        if (count < most) continue;
        usual = n;
        most = count;
    }
    return usual;
}

}  // namespace

std::vector<Plot> replicate_adjust_plots(const JsonReader& result, const PlotChoice& choice) {
    NameChoice models("classifier", choice.models);
    const std::vector<JsonReader> classifiers = result["classifiers"].entries();
    const std::vector<JsonReader> adjusted = quoted_method(result)["classifiers"].entries();
    if (adjusted.size() != classifiers.size())
        refuse("the adjusted and the measured classifiers differ");
    Plot plot;
    plot.title = "Accuracy";
    plot.x_title = "original";
    plot.y_title = "replication";
    plot.x_unit = Unit::proportion;
    plot.equal = true;
    plot.series = {{.name = "as measured", .points = {}}, {.name = "adjusted", .points = {}}};
    for (std::size_t i = 0; i < classifiers.size(); ++i) {
        const std::string& name = classifiers[i]["name"].text();
        if (adjusted[i]["name"].text() != name)
            refuse("the adjusted and the measured classifiers differ");
        if (!models.takes(name)) continue;
        const Estimate original = estimate_of(classifiers[i]["original"]);
        if (!original.value) continue;
        const auto add = [&](Series& series, Estimate value, const std::string& label) {
            Point point = plot_point(*original.value, std::move(value), label);
            point.y.unit = Unit::proportion;
            point.x_interval = original.interval;
            series.points.push_back(std::move(point));
        };
        add(plot.series[0], estimate_of(classifiers[i]["replication"]), name);
        add(plot.series[1], estimate_of(adjusted[i]["adjusted"]), "");
    }
    models.check();
    return {plot};
}

std::vector<Plot> replicate_density_plots(const JsonReader& result, const PlotChoice&) {
    const std::vector<double> rates = numbers_of(result["rates"]);
    std::vector<Plot> plots;
    for (const JsonReader& method : result["methods"].entries()) {
        const auto density = method.find("density");
        if (!density) continue;
        Plot plot = over_log_odds(method["id"].text(), "density");
        for (const char* set : both_sets)
            plot.series.push_back(curve(set, rates, of_log_odds(rates, (*density)[set])));
        plots.push_back(std::move(plot));
    }
    if (plots.empty()) refuse("no method of the result has a density");
    return plots;
}

std::vector<Plot> replicate_reading_plots(const JsonReader& result, const PlotChoice&) {
    const std::vector<double> rates = numbers_of(result["rates"]);
    const JsonReader method = quoted_method(result);
    const auto density = method.find("density");
    if (!density) refuse(fmt::format("`{}` has no density", method["id"].text()));
    std::vector<Plot> plots;
    for (const char* set : both_sets) {
        const int n = usual_number(result["cells"][set].entries());
        Plot plot = over_log_odds(set, "density");
        const std::vector<double> prior = of_log_odds(rates, (*density)[set]);
        plot.series.push_back(curve("all images", rates, prior));
        int last = -1;
        for (const int k : {0, n / 2, 4 * n / 5, n}) {
            if (k == last) continue;
            last = k;
            plot.series.push_back(
                curve(fmt::format("{} of {}", k, n), rates, given_reading(rates, prior, n, k)));
        }
        plots.push_back(std::move(plot));
    }
    return plots;
}

std::vector<Plot> replicate_curve_plots(const JsonReader& result, const PlotChoice& choice) {
    NameChoice models("classifier", choice.models);
    const std::vector<double> rates = numbers_of(result["rates"]);
    std::vector<Plot> plots;
    for (const JsonReader& classifier : quoted_method(result)["classifiers"].entries()) {
        const std::string& name = classifier["name"].text();
        const auto accuracy = classifier.find("accuracy_at_rate");
        if (!models.takes(name) || !accuracy) continue;
        Plot plot = over_log_odds(name, "accuracy");
        const auto add = [&](const char* title, const JsonReader& values) {
            plot.series.push_back(curve(title, rates, numbers_of(values), Unit::proportion));
        };
        add("accuracy", *accuracy);
        if (const auto low = classifier.find("accuracy_at_rate_low")) {
            add("lower end", *low);
            add("upper end", classifier["accuracy_at_rate_high"]);
        }
        plots.push_back(std::move(plot));
    }
    models.check();
    if (plots.empty()) refuse("no classifier in the result has a curve");
    return plots;
}

std::vector<Plot> replicate_frequency_plots(const JsonReader& result, const PlotChoice& choice) {
    NameChoice sets("data set", choice.datasets);
    Plot plot;
    plot.kind = Plot::Kind::bars;
    plot.title = "Selection frequencies";
    plot.x_title = "frequency";
    plot.y_title = "images";
    for (const JsonReader& set : result["sets"].entries()) {
        const std::string& source = set["source"].text();
        if (!sets.takes(source)) continue;
        Series series{.name = source, .points = {}};
        const std::vector<JsonReader> buckets = set["buckets"].entries();
        for (std::size_t i = 0; i < buckets.size(); ++i) {
            const double width = 100 / static_cast<double>(buckets.size());
            Estimate images;
            images.value = buckets[i].number();
            series.points.push_back(
                plot_point(fmt::format("{:.3g} to {:.3g} %", width * static_cast<double>(i),
                                       width * static_cast<double>(i + 1)),
                           std::move(images)));
        }
        plot.series.push_back(std::move(series));
    }
    sets.check();
    if (plot.series.empty()) refuse("the result has no set");
    return {plot};
}

}  // namespace assay
