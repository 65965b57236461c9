#include <nlohmann/json.hpp>

#include "assay/evaluate/score.h"

namespace assay {

nlohmann::json to_json(const ScoreReport& report) {
    using nlohmann::json;
    const ScoreCounts& c = report.counts;
    json out = {{"schema", "assay.score/1"},
                {"model", report.model},
                {"dataset", report.dataset},
                {"scores", name_of(report.kind)},
                {"kept", name_of(report.storage)},
                {"counts",
                 {{"items", c.items},
                  {"missing", c.missing},
                  {"unreadable", c.unreadable},
                  {"not_finite", c.not_finite},
                  {"scored", c.scored},
                  {"unlabelled", c.unlabelled},
                  {"unnamed", c.unnamed},
                  {"several_labels", c.several_labels}}}};
    out["label_counts"] = json::array();
    for (std::size_t g = 0; g < report.label_counts.size(); ++g) {
        if (report.label_counts[g] > 0)
            out["label_counts"].push_back({{"labels", g}, {"items", report.label_counts[g]}});
    }
    if (!report.map.empty()) out["class_map"] = report.map;
    out["measurements"] = json::array();
    for (const auto& m : report.measurements) out["measurements"].push_back(to_json(m));
    out["per_class"] = json::array();
    for (const auto& r : report.per_class) {
        json row = {{"id", r.id}, {"name", r.name}, {"n", r.n}, {"correct", r.correct}};
        row["accuracy"] = r.accuracy ? json(*r.accuracy) : json(nullptr);
        if (r.interval) {
            row["interval"] = {{"low", r.interval->low},
                               {"high", r.interval->high},
                               {"level", r.interval->level},
                               {"method", r.interval->method}};
        }
        if (r.confidence) row["confidence"] = *r.confidence;
        if (r.target_probability) row["target_probability"] = *r.target_probability;
        out["per_class"].push_back(std::move(row));
    }
    const auto class_of = [&](std::int32_t k) {
        return k < 0 ? json(nullptr) : json(report.per_class.at(static_cast<std::size_t>(k)).id);
    };
    out["confusions"] = json::array();
    for (const auto& pair : report.confusions) {
        out["confusions"].push_back({{"truth", class_of(pair.truth)},
                                     {"predicted", class_of(pair.predicted)},
                                     {"count", pair.count}});
    }
    out["warnings"] = report.warnings;
    return out;
}

nlohmann::json to_json(const AcrossResult& result) {
    using nlohmann::json;
    json out = to_json(result.mean);
    out["standard_deviation"] = result.deviation ? json(*result.deviation) : json(nullptr);
    if (result.mean.value) {
        out["min"] = result.low;
        out["max"] = result.high;
    }
    out["datasets"] = json::array();
    for (std::size_t i = 0; i < result.datasets.size(); ++i) {
        out["datasets"].push_back(
            {{"dataset", result.datasets[i]},
             {"value", result.values[i] ? json(*result.values[i]) : json(nullptr)}});
    }
    return out;
}

}  // namespace assay
