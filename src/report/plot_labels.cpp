// Plots about the number of valid labels of images.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/refuse.h"
#include "core/text.h"
#include "report/plot_recipes.h"

namespace assay {
namespace {

Point images_point(const std::string& row, double images, double labelled) {
    Point point = plot_point(row, {});
    point.y.unit = Unit::proportion;
    if (labelled > 0) {
        point.y.value = images / labelled;
    } else {
        point.y.undefined = "no image has a valid label";
    }
    return point;
}

Series histogram_of(const JsonReader& set) {
    const auto histogram = set.find("histogram");
    if (!histogram) {
        refuse(
            "the result has no `histogram`, because published values have none: make it with "
            "`assay gap RUNS/V1 RUNS/V2 --json`");
    }
    const double more = (*histogram)["more"].number();
    const std::vector<JsonReader> groups = (*histogram)["labels"].entries();
    double labelled = more;
    for (const JsonReader& group : groups) labelled += group["images"].number();
    Series series{.name = set["name"].text(), .points = {}};
    for (const JsonReader& group : groups)
        series.points.push_back(images_point(std::to_string(group["labels"].whole()),
                                             group["images"].number(), labelled));
    series.points.push_back(images_point(fmt::format("> {}", groups.size()), more, labelled));
    return series;
}

/// The number of labels of a measurement on the images with that number, if it is one.
std::optional<double> labels_of(const JsonReader& measurement) {
    if (measurement["metric"].text() != "subgroup_accuracy" || measurement.find("subgroup"))
        return std::nullopt;
    std::uint64_t labels = 0;
    const auto g = measurement["parameters"].find("g");
    if (!g || !parse_number(g->text(), labels)) return std::nullopt;
    return static_cast<double>(labels);
}

Plot& plot_titled(std::vector<Plot>& plots, const std::string& title) {
    const auto found = std::ranges::find(plots, title, &Plot::title);
    if (found != plots.end()) return *found;
    Plot plot;
    plot.kind = Plot::Kind::line;
    plot.title = title;
    plot.x_title = "valid labels of the image";
    plot.y_title = "agreement";
    plots.push_back(std::move(plot));
    return plots.back();
}

}  // namespace

std::vector<Plot> gap_histogram_plots(const JsonReader& result, const PlotChoice&) {
    Plot plot;
    plot.kind = Plot::Kind::bars;
    plot.title = "Images by their number of valid labels";
    plot.y_title = "images with a label";
    for (const char* which : {"first", "second"})
        plot.series.push_back(histogram_of(result[which]));
    return {plot};
}

std::vector<Plot> score_label_plots(const JsonReader& result, const PlotChoice& choice) {
    NameChoice models("model", choice.models), sets("data set", choice.datasets);
    std::vector<Plot> plots;
    // If there are means over data sets, they are what was asked for.
    const auto means = result.find("across");
    const bool across = means && !means->entries().empty();
    for (const JsonReader& m : (across ? *means : result["measurements"]).entries()) {
        const std::string& dataset = m["dataset"].text();
        const std::string& model = m["model"].text();
        const bool wanted = models.takes(model);
        if (!sets.takes(dataset) || !wanted) continue;
        const std::optional<double> labels = labels_of(m);
        if (!labels) continue;
        // Another agreement is another metric.
        const std::string& definition = m["definition"].text();
        const bool usual = definition == "subgroup_accuracy.recall";
        std::vector<Series>& lines =
            plot_titled(plots, usual ? dataset : fmt::format("{} ({})", dataset, definition))
                .series;
        auto line = std::ranges::find(lines, model, &Series::name);
        if (line == lines.end()) {
            if (choice.top > 0 && lines.size() == choice.top) continue;
            line = lines.insert(lines.end(), {.name = model, .points = {}});
        }
        Estimate value = estimate_of(m);
        if (value.value) line->points.push_back(plot_point(*labels, std::move(value)));
    }
    models.check();
    sets.check();
    if (plots.empty()) {
        refuse(
            "the result has no `subgroup_accuracy`: add it with `assay score RUNS --metrics "
            "subgroup_accuracy --json`");
    }
    return plots;
}

}  // namespace assay
