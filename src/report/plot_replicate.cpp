#include <fmt/format.h>

#include "core/refuse.h"
#include "report/plot_recipes.h"

namespace assay {
namespace {

constexpr const char* both_sets[] = {"original", "replication"};

/// Whose numbers the verdict quotes.
JsonReader quoted_method(const JsonReader& result) {
    const std::string& quoted = result["quoted"].text();
    for (const JsonReader& method : result["methods"].entries())
        if (method["id"].text() == quoted) return method;
    refuse(fmt::format("no method `{}` in the result, which quotes it", quoted));
}

}  // namespace

std::vector<Plot> replicate_adjust_plots(const JsonReader& result, const PlotChoice& choice) {
    NameChoice models("classifier", choice.models);
    const std::vector<JsonReader> classifiers = result["classifiers"].entries();
    const std::vector<JsonReader> adjusted = quoted_method(result)["classifiers"].entries();
    if (adjusted.size() != classifiers.size())
        refuse("other classifiers are adjusted than are measured");
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
            refuse("other classifiers are adjusted than are measured");
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
    const std::vector<JsonReader> rates = result["rates"].entries();
    std::vector<Plot> plots;
    for (const JsonReader& method : result["methods"].entries()) {
        const auto density = method.find("density");
        if (!density) continue;
        Plot plot;
        plot.kind = Plot::Kind::scatter;
        plot.title = method["id"].text();
        plot.x_title = "rate at which an image is selected";
        plot.y_title = "density";
        plot.x_unit = Unit::proportion;
        for (const char* set : both_sets) {
            const std::vector<JsonReader> values = (*density)[set].entries();
            if (values.size() != rates.size())
                refuse(fmt::format("{} densities at {} rates", values.size(), rates.size()));
            Series series{.name = set, .points = {}, .joined = true};
            for (std::size_t i = 0; i < rates.size(); ++i) {
                Estimate value;
                value.value = values[i].number();
                series.points.push_back(plot_point(rates[i].number(), std::move(value)));
            }
            plot.series.push_back(std::move(series));
        }
        plots.push_back(std::move(plot));
    }
    if (plots.empty()) refuse("no method in the result has a density");
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
    if (plot.series.empty()) refuse("no set in the result");
    return {plot};
}

}  // namespace assay
