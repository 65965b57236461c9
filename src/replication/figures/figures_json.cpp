#include <nlohmann/json.hpp>

#include "assay/replication/figures.h"
#include "replication/tables.h"

namespace assay::replication {
namespace {

using nlohmann::json;

/// A classifier's point: accuracy on the original, on the replication, adjusted by each method.
json scatter_json(const AdjustReport& adjusted) {
    json points = json::array(), lines = json::array();
    for (std::size_t m = 0; m < adjusted.classifiers.size(); ++m) {
        json by_method = json::object();
        for (const MethodResult& method : adjusted.methods)
            by_method[method.id] = to_json(method.adjusted[m]);
        points.push_back({{"name", adjusted.classifiers[m]},
                          {"original", to_json(adjusted.first[m])},
                          {"replication", to_json(adjusted.second[m])},
                          {"adjusted", std::move(by_method)}});
    }
    const auto add = [&](const std::string& id, const std::optional<LineFit>& line) {
        if (!line) return;
        json row = line_json(*line);
        row["method"] = id;
        lines.push_back(std::move(row));
    };
    add("none", adjusted.raw_line);
    for (const MethodResult& method : adjusted.methods) add(method.id, method.line);
    return {{"classifiers", std::move(points)}, {"lines", std::move(lines)}};
}

json curves_json(const AdjustReport& adjusted) {
    json methods = json::array();
    for (const MethodResult& method : adjusted.methods) {
        const Drawing& drawing = method.drawing;
        if (drawing.first_density.empty() && drawing.accuracy.empty()) continue;
        json row = {{"method", method.id}};
        if (!drawing.first_density.empty()) {
            row["density"] = {{"original", drawing.first_density},
                              {"replication", drawing.second_density}};
        }
        for (const auto& curve : drawing.accuracy) row["accuracy"].push_back(curve);
        methods.push_back(std::move(row));
    }
    return {{"rates", drawing_rates()}, {"methods", std::move(methods)}};
}

json point_json(const FigurePoint& point) {
    const MethodResult& r = point.result;
    json out = {{"annotators", point.annotators},
                {"method", r.id},
                {"definition", r.definition},
                {"adjusted", to_json(r.mean_adjusted)},
                {"remaining", to_json(r.mean_gap.remaining)},
                {"selection_bias", to_json(r.mean_gap.bias)},
                {"line", r.line ? line_json(*r.line) : json()}};
    if (!r.notes.empty()) out["notes"] = r.notes;
    out["classifiers"] = json::array();
    for (const Estimate& a : r.adjusted) out["classifiers"].push_back(to_json(a));
    return out;
}

json points_json(const std::vector<FigurePoint>& points) {
    json out = json::array();
    for (const FigurePoint& point : points) out.push_back(point_json(point));
    return out;
}

json bins_json(const std::vector<FigureBin>& bins) {
    json out = json::array();
    for (const FigureBin& bin : bins)
        out.push_back({{"images", to_json(bin.images)}, {"accuracy", to_json(bin.accuracy)}});
    return out;
}

json accuracies_json(const std::vector<std::vector<Estimate>>& accuracies) {
    json out = json::array();
    for (const auto& own : accuracies) {
        json row = json::array();
        for (const Estimate& a : own) row.push_back(to_json(a));
        out.push_back(std::move(row));
    }
    return out;
}

json halves_json(const FigureData& data) {
    if (data.halves.empty()) return {{"undefined", data.without_halves}};
    json points = json::array();
    for (const FigureHalves& h : data.halves) {
        json row = {{"annotators", h.annotators},
                    {"method", h.method},
                    {"halves_minus_whole", to_json(h.difference)}};
        if (h.difference.value) {
            row["whole"] = h.whole;
            row["halves"] = h.halves;
            row["standard_error_by_halves"] = h.error_by_halves;
        }
        points.push_back(std::move(row));
    }
    return {{"splits", data.splits}, {"points", std::move(points)}};
}

}  // namespace

json to_json(const FigureData& data, const AdjustReport& adjusted) {
    json out = {{"schema", "assay.replicate_figures/1"},
                {"quoted", adjusted.quoted},
                {"classifiers", adjusted.classifiers},
                {"units", adjusted.units == Units::classes ? "classes" : "images"},
                {"scatter", scatter_json(adjusted)},
                {"curves", curves_json(adjusted)},
                {"annotators", points_json(data.annotators)},
                {"parts", points_json(data.parts)},
                {"readings", json::array()},
                {"halves", halves_json(data)}};
    for (const FigureReadings& r : data.readings) {
        out["readings"].push_back({{"annotators", r.annotators},
                                   {"original", bins_json(r.first)},
                                   {"replication", bins_json(r.second)}});
    }
    out["readings_by_classifier"] = {{"original", accuracies_json(data.first_accuracy)},
                                     {"replication", accuracies_json(data.second_accuracy)}};
    if (!data.first_fitted.empty()) {
        out["fitted_readings"] = {{"original", data.first_fitted},
                                  {"replication", data.second_fitted}};
    }
    return out;
}

}  // namespace assay::replication
