#include <nlohmann/json.hpp>

#include "assay/evaluate/compare.h"

namespace assay {
namespace {

using nlohmann::json;

json metric_json(const PairedMetric& m) {
    json out = {{"metric", m.candidate.key.metric},
                {"definition", m.candidate.key.definition},
                {"baseline", to_json(m.baseline)},
                {"candidate", to_json(m.candidate)},
                {"higher_is_better", m.candidate.higher_is_better}};
    out["difference"] = m.difference ? json(*m.difference) : json(nullptr);
    if (!m.undefined.empty()) out["undefined"] = m.undefined;
    if (m.interval) {
        out["interval"] = {{"low", m.interval->low},
                           {"high", m.interval->high},
                           {"level", m.interval->level},
                           {"method", m.interval->method}};
    }
    if (m.counts) {
        out["only_baseline_right"] = m.counts->b;
        out["only_candidate_right"] = m.counts->c;
        out["mid_p"] = m.counts->mid_p;
    }
    if (m.p) out["p"] = *m.p;
    if (m.p_holm) out["p_holm"] = *m.p_holm;
    if (!m.test.empty()) out["test"] = m.test;
    return out;
}

}  // namespace

json to_json(const PairReport& report) {
    json out = {{"schema", "assay.compare/1"},
                {"baseline", report.baseline},
                {"candidate", report.candidate},
                {"dataset", report.dataset},
                {"candidate_dataset", report.candidate_dataset},
                {"counts",
                 {{"items", report.items},
                  {"only_in_baseline", report.only_baseline},
                  {"only_in_candidate", report.only_candidate},
                  {"not_scored_in_both", report.not_scored}}},
                {"answers",
                 {{"same", report.same_answer},
                  {"both_right", report.both_right},
                  {"both_wrong", report.both_wrong},
                  {"only_baseline_right", report.only_baseline_right},
                  {"only_candidate_right", report.only_candidate_right}}}};
    out["metrics"] = json::array();
    for (const auto& m : report.metrics) out["metrics"].push_back(metric_json(m));
    const auto class_of = [&](std::int32_t c) -> json {
        if (c < 0) return nullptr;
        return static_cast<std::size_t>(c) < report.classes.size()
                   ? json(report.classes.id(static_cast<std::size_t>(c)))
                   : json(c);
    };
    out["disagreements"] = json::array();
    for (const auto& d : report.disagreements) {
        json labels = json::array();
        for (const std::int32_t c : d.labels) labels.push_back(class_of(c));
        out["disagreements"].push_back({{"id", d.id},
                                        {"labels", std::move(labels)},
                                        {"baseline", class_of(d.baseline)},
                                        {"candidate", class_of(d.candidate)},
                                        {"baseline_confidence", d.baseline_confidence},
                                        {"candidate_confidence", d.candidate_confidence},
                                        {"baseline_right", d.baseline_right},
                                        {"candidate_right", d.candidate_right}});
    }
    out["warnings"] = report.warnings;
    return out;
}

}  // namespace assay
