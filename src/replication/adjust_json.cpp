#include <nlohmann/json.hpp>

#include "assay/replication/adjust.h"
#include "assay/replication/npmle.h"
#include "replication/tables.h"

namespace assay::replication {
namespace {

using nlohmann::json;

json to_json(const GapParts& g) {
    return {{"gap", to_json(g.gap)},
            {"remaining", to_json(g.remaining)},
            {"selection_bias", to_json(g.bias)}};
}

json to_json(const std::optional<LineFit>& line) {
    return line ? line_json(*line) : json();
}

json blind_spots_json(const BlindSpots& spots, std::size_t classifier) {
    json out = {{"jump_at_98", spots.top_jump[classifier]},
                {"worst_jump", spots.worst_jump[classifier]},
                {"worst_jump_rate", spots.worst_rate[classifier]}};
    if (classifier < spots.companion_difference.size())
        out["moments_less_pl"] = spots.companion_difference[classifier];
    return out;
}

json method_json(const MethodResult& m, const std::vector<std::string>& names) {
    json out = {{"id", m.id}, {"definition", m.definition}};
    if (!m.defined()) {
        out["undefined"] = m.mean_adjusted.undefined;
        return out;
    }
    out["exact_for"] = exact_for(m.id);
    out["mean"] = {{"adjusted", to_json(m.mean_adjusted)}, {"gap", to_json(m.mean_gap)}};
    out["line"] = to_json(m.line);
    out["covered"] = m.covered;
    out["outside"] = m.outside;
    if (m.wide_intervals) out["wide_intervals"] = *m.wide_intervals;
    if (!m.exponents.empty()) out["exponents"] = m.exponents;
    if (!m.weights.empty()) out["weights"] = m.weights;
    if (!m.notes.empty()) out["notes"] = m.notes;
    if (!m.details.is_null()) out["details"] = m.details;
    if (!m.drawing.first_density.empty()) {
        out["density"] = {{"original", m.drawing.first_density},
                          {"replication", m.drawing.second_density}};
    }
    if (m.blind_spots) {
        out["blind_spots"] = {{"replication_99th_percentile", m.blind_spots->rate_99},
                              {"original_above_it", m.blind_spots->above_99}};
    }
    out["classifiers"] = json::array();
    for (std::size_t i = 0; i < names.size(); ++i) {
        json row = {
            {"name", names[i]}, {"adjusted", to_json(m.adjusted[i])}, {"gap", to_json(m.gaps[i])}};
        if (m.blind_spots) row["blind_spots"] = blind_spots_json(*m.blind_spots, i);
        if (i < m.curves.size()) row["curve"] = m.curves[i];
        if (i < m.drawing.accuracy.size()) row["accuracy_at_rate"] = m.drawing.accuracy[i];
        out["classifiers"].push_back(std::move(row));
    }
    return out;
}

}  // namespace

std::vector<double> drawing_rates() {
    return RateGrid(drawing_points).s;
}

nlohmann::json to_json(const AdjustReport& report) {
    json out = {
        {"schema", "assay.replicate_adjust/2"},
        {"quoted", report.quoted},
        {"images", {{"original", report.first_images}, {"replication", report.second_images}}},
        {"classes", report.classes},
        {"units", report.units == Units::classes ? "classes" : "images"},
        {"bootstrap", report.bootstrap},
        {"mean",
         {{"original", to_json(report.mean_first)}, {"replication", to_json(report.mean_second)}}},
        {"mean_frequency",
         {{"original", report.first_cells.mean_frequency()},
          {"replication", report.second_cells.mean_frequency()}}},
        {"line", to_json(report.raw_line)},
        {"cells",
         {{"original", cells_json(report.first_cells)},
          {"replication", cells_json(report.second_cells)}}},
        {"condition", "the replication's readings were collected after its images were selected"},
        {"warnings", report.warnings}};
    const std::size_t models = report.classifiers.size();
    for (std::size_t c = 0; c < report.second_cells.grid.size(); ++c) {
        const auto begin = report.correct.begin() + static_cast<std::ptrdiff_t>(c * models);
        out["cells"]["replication"][c]["correct"] =
            std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(models));
    }
    out["classifiers"] = json::array();
    for (std::size_t i = 0; i < models; ++i) {
        json row = {{"name", report.classifiers[i]},
                    {"original", to_json(report.first[i])},
                    {"replication", to_json(report.second[i])}};
        if (i < report.sensitivity.size()) row["sensitivity"] = report.sensitivity[i];
        out["classifiers"].push_back(std::move(row));
    }
    if (report.mean_sensitivity) out["mean"]["sensitivity"] = *report.mean_sensitivity;
    out["rates"] = drawing_rates();
    out["methods"] = json::array();
    for (const MethodResult& m : report.methods)
        out["methods"].push_back(method_json(m, report.classifiers));
    return out;
}

}  // namespace assay::replication
