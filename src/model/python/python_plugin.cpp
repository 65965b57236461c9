#include "model/python/python_plugin.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/error.h"
#include "core/json_reader.h"
#include "model/python/interpreter.h"
#include "model/python/plugin_process.h"

namespace assay {
namespace {

using nlohmann::json;

/// The arguments that a metric's function takes, by name.
struct TakenRows {
    bool scores, probabilities, labels, label_sets;
};

template <class T>
std::span<const std::byte> bytes_at(const T* data, std::int64_t n) {
    return std::as_bytes(std::span(data, static_cast<std::size_t>(n)));
}

std::string_view kind_word(std::int32_t kind) {
    if (kind == ASSAY_PLUGIN_PROBABILITIES) return "probabilities";
    return kind == ASSAY_PLUGIN_LOGITS ? "logits" : "log_probabilities";
}

std::vector<PluginArray> arrays_of(const assay_plugin_rows& rows, const TakenRows& taken) {
    std::vector<PluginArray> in;
    const std::int64_t cells = rows.rows * rows.classes;
    if (taken.scores) in.push_back({"scores", bytes_at(rows.scores, cells)});
    if (taken.probabilities) in.push_back({"probabilities", bytes_at(rows.probabilities, cells)});
    if (taken.labels) in.push_back({"labels", bytes_at(rows.labels, rows.rows)});
    if (taken.label_sets) {
        in.push_back({"set_ends", bytes_at(rows.set_ends, rows.rows)});
        in.push_back({"set_classes", bytes_at(rows.set_classes, rows.set_ends[rows.rows - 1])});
    }
    return in;
}

PluginMetric metric_of(const JsonReader& said, const PluginTable& plugin,
                       PluginProcesses* processes) {
    PluginMetric metric{};
    const std::string function = said["name"].text();
    const std::vector<std::string> names = said["takes"].texts();
    const auto takes = [&](std::string_view name) {
        return std::ranges::find(names, name) != names.end();
    };
    const TakenRows taken = {takes("scores"), takes("probabilities"), takes("labels"),
                             takes("label_sets")};
    metric.name = kept_text(function).data();
    metric.title = kept_text(said["title"].text()).data();
    metric.formula = kept_text(said["formula"].text()).data();
    metric.needs = taken.label_sets ? ASSAY_PLUGIN_NEEDS_LABEL_SET
                   : taken.labels   ? ASSAY_PLUGIN_NEEDS_LABEL
                                    : ASSAY_PLUGIN_NEEDS_NOTHING;
    metric.unit = said["proportion"].truth() ? ASSAY_PLUGIN_PROPORTION : ASSAY_PLUGIN_NUMBER;
    metric.better = static_cast<std::int32_t>(said["better"].integer(-1, 1));
    metric.low = said["low"].number();
    metric.high = said["high"].number();
    metric.apart = [processes, function, taken, name = plugin.name_of(function)](
                       const assay_plugin_rows& rows, std::span<double> values) {
        processes->call(name,
                        {{"metric", function},
                         {"rows", rows.rows},
                         {"classes", rows.classes},
                         {"kind", kind_word(rows.kind)}},
                        arrays_of(rows, taken), std::as_writable_bytes(values));
    };
    return metric;
}

PluginCorruption corruption_of(const JsonReader& said, const PluginTable& plugin,
                               PluginProcesses* processes) {
    PluginCorruption corruption{};
    const std::string function = said["name"].text();
    corruption.name = kept_text(function).data();
    corruption.parameters = kept_text(said["parameters"].text()).data();
    corruption.min_side = static_cast<std::int32_t>(said["min_side"].integer(INT32_MIN, INT32_MAX));
    corruption.apart = [processes, function, name = plugin.name_of(function)](
                           const assay_plugin_image& image, std::span<std::uint8_t> out) {
        processes->call(name,
                        {{"corruption", function},
                         {"height", image.height},
                         {"width", image.width},
                         {"severity", image.severity},
                         {"seed", image.seed}},
                        {{"image", std::as_bytes(std::span(image.pixels, out.size()))}},
                        std::as_writable_bytes(out));
    };
    return corruption;
}

}  // namespace

void read_python_plugin(PluginTable& plugin, std::string source) {
    const Interpreter python = find_interpreter("plug-ins in Python", "numpy");
    with_note(fmt::format("running {} in {} (chosen by {})", plugin.file.string(),
                          python.program.string(), python.chosen_by),
              [&] {
                  auto started = std::make_unique<PluginProcesses>(python, plugin.file.string(),
                                                                   std::move(source));
                  // They end with the program. A forked process must not end them, so they are not
                  // destroyed.
                  PluginProcesses* const processes = started.get();
                  const JsonReader said(processes->description(), {"what the process sends"});
                  for (const JsonReader& metric : said["metrics"].entries())
                      plugin.metrics.push_back(metric_of(metric, plugin, processes));
                  for (const JsonReader& corruption : said["corruptions"].entries())
                      plugin.corruptions.push_back(corruption_of(corruption, plugin, processes));
                  static std::vector<PluginProcesses*>& kept = *new std::vector<PluginProcesses*>;
                  kept.push_back(started.release());
              });
}

}  // namespace assay
