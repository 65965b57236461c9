#include <nlohmann/json.hpp>

#include "assay/evaluate/published.h"
#include "assay/evaluate/score.h"

namespace assay {

nlohmann::json to_json(const ScoreReport& report) {
    using nlohmann::json;
    const ScoreCounts& c = report.counts;
    json out = {{"schema", "assay.score/2"},
                {"model", report.model},
                {"dataset", report.dataset},
                {"scores", name_of(report.kind)},
                {"storage_format", name_of(report.storage)},
                {"counts",
                 {{"items", c.items},
                  {"missing", c.missing},
                  {"unreadable", c.unreadable},
                  {"not_finite", c.not_finite},
                  {"scored", c.scored},
                  {"unlabelled", c.unlabelled},
                  {"unnamed", c.unnamed},
                  {"multi_label", c.multi_label}}}};
    if (report.derived.any()) out["derived"] = to_json(report.derived);
    out["labels_per_image"] = json::array();
    for (std::size_t g = 0; g < report.labels_per_image.size(); ++g) {
        const std::uint64_t items = report.labels_per_image[g];
        if (items > 0) out["labels_per_image"].push_back({{"labels", g}, {"items", items}});
    }
    if (!report.map.empty()) out["class_map"] = report.map;
    out["measurements"] = json::array();
    for (const auto& m : report.measurements) out["measurements"].push_back(to_json(m));
    out["per_class"] = json::array();
    for (const auto& r : report.per_class) {
        json row = {{"id", r.id}, {"name", r.name}, {"correct", r.correct}};
        row["accuracy"] = to_json(r.accuracy);
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
    if (!report.reliability.empty()) out["reliability"] = json::array();
    for (const ReliabilityBin& bin : report.reliability) {
        json row = {{"low", bin.low}, {"high", bin.high}, {"correct", bin.correct}};
        row["accuracy"] = to_json(bin.accuracy);
        row["confidence"] = bin.confidence ? json(*bin.confidence) : json(nullptr);
        out["reliability"].push_back(std::move(row));
    }
    out["notes"] = report.notes;
    out["warnings"] = report.warnings;
    return out;
}

nlohmann::json to_json(const AcrossResult& result) {
    using nlohmann::json;
    json out = to_json(result.mean);
    out["standard_deviation"] =
        result.standard_deviation ? json(*result.standard_deviation) : json(nullptr);
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

nlohmann::json to_json(const ScoreResult& result, const ScoreShown& shown) {
    using nlohmann::json;
    json out = {{"schema", "assay.scores/2"},
                {"measurements", json::array()},
                {"stores", json::array()},
                {"gates", json::array()}};
    for (const ScoreReport& report : result.reports) {
        json store = to_json(report);
        for (auto& m : store.at("measurements")) out["measurements"].push_back(std::move(m));
        store.erase("measurements");
        if (!shown.per_class) store.erase("per_class");
        if (shown.confusions == 0) store.erase("confusions");
        out["stores"].push_back(std::move(store));
    }
    for (const GateResult& gate : result.gates) out["gates"].push_back(to_json(gate));
    if (!result.ood.empty()) {
        out["ood"] = json::array();
        for (const Measurement& m : result.ood) out["ood"].push_back(to_json(m));
    }
    if (!result.published.empty()) {
        out["published"] = json::array();
        for (const PublishedValue& value : result.published)
            out["published"].push_back(to_json(value));
    }
    if (!result.across.empty()) {
        out["across"] = json::array();
        for (const AcrossResult& mean : result.means) out["across"].push_back(to_json(mean));
    }
    return out;
}

}  // namespace assay
