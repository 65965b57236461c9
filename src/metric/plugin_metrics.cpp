// Adds metrics from plug-ins as rows of the table.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>
#include <mutex>

#include "assay/metric/metric.h"
#include "core/plugin_table.h"
#include "core/refuse.h"
#include "metric/row_mean_pass.h"
#include "model/python/python_plugin.h"

namespace assay {
namespace {

std::int32_t plugin_kind_of(ScoreKind kind) {
    if (kind == ScoreKind::probabilities) return ASSAY_PLUGIN_PROBABILITIES;
    return kind == ScoreKind::logits ? ASSAY_PLUGIN_LOGITS : ASSAY_PLUGIN_LOG_PROBABILITIES;
}

void check_value(std::string_view name, const assay_plugin_metric& metric, const RowBatch& batch,
                 std::size_t row, double value) {
    if (!(value >= metric.low && value <= metric.high))
        refuse(fmt::format("{} returns {} for `{}`; its range is {} to {}", name, value,
                           batch.id(row), metric.low, metric.high));
}

/// Calls a function of a library, with guards around its output.
void call_library(std::string_view name, const assay_plugin_metric& metric, const RowBatch& batch,
                  const assay_plugin_rows& rows, std::span<double> values) {
    const std::size_t n = batch.rows;
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    GuardedArray<double> numbers(n, none);
    GuardedArray<std::uint8_t> counted(n, 1);
    call_plugin(name, rows.rows, "values", [&](char* error, std::size_t size) {
        return metric.values(&rows, numbers.data(), counted.data(), error, size);
    });
    if (!numbers.is_whole() || !counted.is_whole()) refuse_written_outside(name);
    for (std::size_t i = 0; i < n; ++i) {
        const bool left_out = counted.values()[i] == 0;
        if (!left_out) check_value(name, metric, batch, i, numbers.values()[i]);
        values[i] = left_out ? none : numbers.values()[i];
    }
}

/// Calls the function, and checks its results.
RowFunction row_function(std::string_view name, const PluginMetric& metric) {
    return [name, &metric](const RowBatch& batch, std::span<double> values) {
        const auto n = static_cast<std::int64_t>(batch.rows);
        const assay_plugin_rows rows = {n,
                                        batch.classes,
                                        plugin_kind_of(batch.kind),
                                        batch.scores.data(),
                                        batch.probabilities.data(),
                                        batch.labels.data(),
                                        batch.set_ends.data(),
                                        batch.set_classes.data()};
        if (!metric.apart) return call_library(name, metric, batch, rows, values);
        metric.apart(rows, values);
        for (std::size_t i = 0; i < batch.rows; ++i) {
            if (!std::isnan(values[i])) check_value(name, metric, batch, i, values[i]);
        }
    };
}

void check_names(const PluginTable& plugin, std::span<const MetricFacts> table) {
    for (const MetricFacts& facts : table) {
        if (facts.name == plugin.name && !plugin.metrics.empty())
            refuse(fmt::format("{}: `{}` is a metric of this program; rename the file",
                               plugin.file.string(), plugin.name));
        for (const PluginMetric& metric : plugin.metrics) {
            if (facts.name == metric.name)
                refuse(
                    fmt::format("{}: `{}` is a metric of this program; give the function "
                                "another name",
                                plugin.file.string(), metric.name));
        }
    }
}

MetricFacts row_of(const PluginTable& plugin, const PluginMetric& metric) {
    MetricFacts facts;
    facts.name = kept_text(plugin.name_of(metric.name));
    facts.title = kept_text(metric.title);
    facts.formula = kept_text(metric.formula);
    facts.needs = Needs::probabilities | Needs::full_rows;
    if (metric.needs == ASSAY_PLUGIN_NEEDS_LABEL) facts.needs = facts.needs | Needs::labels;
    if (metric.needs == ASSAY_PLUGIN_NEEDS_LABEL_SET) facts.needs = facts.needs | Needs::label_sets;
    facts.higher_is_better = metric.better >= 0;
    facts.judges = metric.better != 0;
    facts.low = metric.low;
    facts.high = metric.high;
    facts.unit = metric.unit == ASSAY_PLUGIN_PROPORTION ? Unit::proportion : Unit::number;
    facts.origin = kept_text(plugin.file.string());
    facts.uncertainty = Uncertainty::jackknife;
    facts.definition = [id = plugin.definition_of(metric.name)](const Parameters&) { return id; };
    facts.pass = std::make_shared<RowMeanPass>(row_function(facts.name, metric),
                                               static_cast<bool>(metric.apart));
    facts.by_default = false;  // MeasureOptions::plugins selects the plug-ins whose metrics are
                               // default
    return facts;
}

}  // namespace

std::vector<const MetricFacts*> load_metrics(const std::filesystem::path& file) {
    static std::mutex mutex;
    static std::map<const PluginTable*, std::vector<const MetricFacts*>> loaded;
    const PluginTable& plugin = open_plugin(file, read_python_plugin);
    const std::scoped_lock lock(mutex);
    if (const auto known = loaded.find(&plugin); known != loaded.end()) return known->second;
    check_names(plugin, metric_table());
    std::vector<const MetricFacts*>& added = loaded[&plugin];
    for (const PluginMetric& metric : plugin.metrics)
        added.push_back(&add_metric(row_of(plugin, metric)));
    return added;
}

}  // namespace assay
