#include "report/metric_definitions.h"

#include <map>
#include <string>

#include "assay/error.h"
#include "assay/metric/metric.h"

namespace assay {
namespace {

using nlohmann::json;

const MetricFacts* facts_of_metric(const std::string& name) {
    try {
        return &metric_named(name);
    } catch (const Error&) {
        return nullptr;  // from another command: `gap` has its own values
    }
}

void collect(const json& value, std::map<std::string, std::string>& metrics) {
    if (value.is_object()) {
        const auto definition = value.find("definition"), metric = value.find("metric");
        if (definition != value.end() && metric != value.end() && definition->is_string() &&
            metric->is_string())
            metrics.emplace(definition->get<std::string>(), metric->get<std::string>());
    }
    if (value.is_structured())
        for (const json& part : value) collect(part, metrics);
}

}  // namespace

std::vector<MetricDefinition> definitions_in(const std::vector<SourcedResult>& results) {
    std::map<std::string, std::string> metrics;  // by definition
    for (const SourcedResult& one : results) collect(one.result, metrics);
    std::vector<MetricDefinition> out;
    for (const auto& [definition, metric] : metrics) {
        const MetricFacts* facts = facts_of_metric(metric);
        if (facts == nullptr) continue;
        out.push_back({definition, metric, std::string(facts->title), std::string(facts->formula),
                       std::string(facts->origin)});
    }
    return out;
}

}  // namespace assay
