#include "evaluate/measurement_text.h"

#include <variant>

#include "assay/metric/metric.h"

namespace assay {
namespace {

/// "bins=15 edges=left_closed".
std::string parameters_text(const MeasurementKey& key) {
    std::string text;
    for (const auto& [name, value] : key.parameters)
        text += (text.empty() ? "" : " ") + name + "=" + value;
    return text;
}

/// True if half of the interval's width says where both ends are, to the printed digit. The value
/// is defined and has an interval.
bool has_equal_sides(const Estimate& e) {
    const double half = half_width(e);
    return number_text(*e.value - e.interval->low, half, e.unit) ==
           number_text(e.interval->high - *e.value, half, e.unit);
}

}  // namespace

std::string metric_text(const MeasurementKey& key) {
    std::string text = key.metric;
    if (text.ends_with(')')) return text;  // "worst(top1)" is no metric of the table
    const MetricFacts& facts = metric_named(key.metric);
    if (facts.name != key.metric) return text;  // "top5" says its parameter
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

std::string_view show_unequal_sides(Table& table) {
    bool halves = false, ends = false;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        Column& column = table.columns[c];
        if (column.show != Column::Show::value_and_half) continue;
        bool intervals = false, equal = true;
        for (const std::vector<Cell>& row : table.rows) {
            const Estimate* const e = c < row.size() ? std::get_if<Estimate>(&row[c]) : nullptr;
            if (e == nullptr || !e->value || !e->interval) continue;
            intervals = true;
            equal = equal && has_equal_sides(*e);
        }
        halves = halves || (intervals && equal);
        ends = ends || !equal;
        if (!equal) column.show = Column::Show::value_and_interval;
    }
    return halves ? "± is half of the interval" : ends ? "in brackets: the interval" : "";
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
