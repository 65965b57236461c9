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
    out["difference"] = to_json(m.difference);
    if (m.counts) {
        out["only_baseline_correct"] = m.counts->b;
        out["only_candidate_correct"] = m.counts->c;
        out["mid_p"] = m.counts->mid_p;
    }
    if (m.p) out["p"] = *m.p;
    if (m.p_holm) out["p_holm"] = *m.p_holm;
    if (!m.test.empty()) out["test"] = m.test;
    if (m.verdict != Verdict::none) out["verdict"] = name_of(m.verdict);
    return out;
}

}  // namespace

json to_json(const PairReport& report) {
    json out = {{"schema", "assay.compare/2"},
                {"baseline", report.baseline},
                {"candidate", report.candidate},
                {"dataset", report.dataset},
                {"candidate_dataset", report.candidate_dataset},
                {"counts",
                 {{"items", report.items},
                  {"only_in_baseline", report.only_baseline},
                  {"only_in_candidate", report.only_candidate},
                  {"not_scored_in_both", report.not_scored}}},
                {"predictions",
                 {{"same", report.same_prediction},
                  {"both_correct", report.both_correct},
                  {"both_incorrect", report.both_incorrect},
                  {"only_baseline_correct", report.only_baseline_correct},
                  {"only_candidate_correct", report.only_candidate_correct},
                  {"error_consistency", to_json(report.error_consistency)}}}};
    if (report.candidate_derived.any()) out["derived"] = to_json(report.candidate_derived);
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
                                        {"baseline_correct", d.baseline_correct},
                                        {"candidate_correct", d.candidate_correct}});
    }
    out["notes"] = report.notes;
    out["warnings"] = report.warnings;
    return out;
}

json to_json(const CompareResult& result) {
    json out = {
        {"schema", "assay.comparisons/2"}, {"pairs", json::array()}, {"gates", json::array()}};
    for (const PairReport& pair : result.pairs) out["pairs"].push_back(to_json(pair));
    for (const GateResult& gate : result.gates) out["gates"].push_back(to_json(gate));
    return out;
}

}  // namespace assay
