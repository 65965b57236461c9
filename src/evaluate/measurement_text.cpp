#include "evaluate/measurement_text.h"

#include "assay/metric/metric.h"

namespace assay {
namespace {

/// Formats parameters: "bins=15 edges=left_closed".
std::string parameters_text(const MeasurementKey& key) {
    std::string text;
    for (const auto& [name, value] : key.parameters)
        text += (text.empty() ? "" : " ") + name + "=" + value;
    return text;
}

}  // namespace

std::string metric_text(const MeasurementKey& key) {
    std::string text = key.metric;
    if (text.ends_with(')')) return text;  // "worst(top1)" is no metric of the table
    const MetricFacts& facts = metric_named(key.metric);
    if (facts.name != key.metric) return text;  // a name like "top5" contains its parameter
    for (const auto& p : facts.parameters) {
        const auto found = key.parameters.find(std::string(p.name));
        if (found == key.parameters.end() ||
            (found->second == p.fallback && p.name != "spread" && p.name != "variant"))
            continue;
        text += (text == key.metric ? " (" : ", ") +
                (p.allowed.empty() || p.name == "absent" ? std::string(p.name) + " " : "") +
                found->second;
    }
    return text == key.metric ? text : text + ")";
}

std::string metric_heading(const Measurement& m) {
    return metric_text(m.key) + (m.unit == Unit::proportion ? " %" : "");
}

std::string column_key(const MeasurementKey& key) {
    std::string text = key.definition;
    for (const std::string& part : {parameters_text(key), key.subgroup, key.cls})
        if (!part.empty()) text += " " + part;
    return text;
}

bool is_by_labels_per_image(const Measurement& m) {
    return metric_named(m.key.metric).by_labels_per_image;
}

NamedValue named_value(const Measurement& m) {
    NamedValue named{{m.key.dataset, m.key.model}, m};
    if (!m.key.subgroup.empty()) named.name.push_back(m.key.subgroup);
    named.name.push_back(metric_text(m.key));
    return named;
}

std::vector<GateOutcome> outcomes_of(std::span<const GateResult> results) {
    std::vector<GateOutcome> outcomes;
    for (const GateResult& result : results) outcomes.push_back(outcome_of(result));
    return outcomes;
}

}  // namespace assay
