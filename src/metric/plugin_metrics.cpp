// Metrics of plug-ins as rows of the table.
#include <fmt/format.h>

#include <limits>
#include <map>
#include <mutex>

#include "assay/metric/metric.h"
#include "core/plugin_table.h"
#include "core/refuse.h"
#include "metric/row_mean_pass.h"

namespace assay {
namespace {

std::int32_t plugin_kind_of(ScoreKind kind) {
    if (kind == ScoreKind::probabilities) return ASSAY_PLUGIN_PROBABILITIES;
    return kind == ScoreKind::logits ? ASSAY_PLUGIN_LOGITS : ASSAY_PLUGIN_LOG_PROBABILITIES;
}

/// The function with its guards, and what it gave checked.
RowFunction row_function(std::string_view name, const assay_plugin_metric& metric) {
    return [name, &metric](const RowBatch& batch, std::span<double> values) {
        const std::size_t n = batch.rows;
        constexpr double none = std::numeric_limits<double>::quiet_NaN();
        GuardedArray<double> numbers(n, none);
        GuardedArray<std::uint8_t> counted(n, 1);
        const assay_plugin_rows rows = {static_cast<std::int64_t>(n), batch.classes,
                                        plugin_kind_of(batch.kind),   batch.scores.data(),
                                        batch.probabilities.data(),   batch.labels.data(),
                                        batch.set_ends.data(),        batch.set_classes.data()};
        call_plugin(name, rows.rows, "values", [&](char* error, std::size_t size) {
            return metric.values(&rows, numbers.data(), counted.data(), error, size);
        });
        if (!numbers.is_whole() || !counted.is_whole()) refuse_written_outside(name);
        for (std::size_t i = 0; i < n; ++i) {
            const double value = numbers.values()[i];
            const bool left_out = counted.values()[i] == 0;
            if (!left_out && !(value >= metric.low && value <= metric.high))
                refuse(fmt::format("{} gives {} for `{}`; its range is {} to {}", name, value,
                                   batch.id(i), metric.low, metric.high));
            values[i] = left_out ? none : value;
        }
    };
}

void check_names(const PluginTable& plugin, std::span<const MetricFacts> table) {
    for (const MetricFacts& facts : table) {
        if (facts.name == plugin.name && !plugin.metrics.empty())
            refuse(fmt::format("{}: `{}` is a metric of this program; rename the file",
                               plugin.file.string(), plugin.name));
        for (const assay_plugin_metric& metric : plugin.metrics) {
            if (facts.name == metric.name)
                refuse(
                    fmt::format("{}: `{}` is a metric of this program; give the function "
                                "another name",
                                plugin.file.string(), metric.name));
        }
    }
}

MetricFacts row_of(const PluginTable& plugin, const assay_plugin_metric& metric) {
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
    facts.pass = std::make_shared<RowMeanPass>(row_function(facts.name, metric));
    facts.by_default = false;  // MeasureOptions::plugins says whose are
    return facts;
}

}  // namespace

std::vector<const MetricFacts*> load_metrics(const std::filesystem::path& file) {
    static std::mutex mutex;
    static std::map<const PluginTable*, std::vector<const MetricFacts*>> loaded;
    const PluginTable& plugin = open_plugin(file);
    const std::scoped_lock lock(mutex);
    if (const auto known = loaded.find(&plugin); known != loaded.end()) return known->second;
    check_names(plugin, metric_table());
    std::vector<const MetricFacts*>& added = loaded[&plugin];
    for (const assay_plugin_metric& metric : plugin.metrics)
        added.push_back(&add_metric(row_of(plugin, metric)));
    return added;
}

}  // namespace assay
