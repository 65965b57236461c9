#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <nlohmann/json.hpp>

#include "assay/evaluate/cost.h"
#include "assay/model/model_spec.h"

namespace assay {
namespace {

constexpr std::array kinds_apart = {OperatorKind::elementwise, OperatorKind::normalisation,
                                    OperatorKind::softmax, OperatorKind::pooling};

/// Four figures that count; at least three decimals below 100, one above.
Number scaled(double value, double unit) {
    const double shown = value / unit;
    const int leading = shown > 0 ? static_cast<int>(std::floor(std::log10(shown))) : 0;
    if (shown == 0) return {.value = 0, .digits = 0};
    return {.value = shown, .digits = std::clamp(3 - leading, leading > 1 ? 1 : 3, 9)};
}

Number scaled(std::uint64_t value, double unit) {
    return scaled(static_cast<double>(value), unit);
}

double per_image(const ModelCost& cost, std::uint64_t of_batch) {
    return static_cast<double>(of_batch) / static_cast<double>(cost.batch);
}

std::string unknown_text(const ModelCost& cost) {
    std::string list;
    for (const OperatorCost& one : cost.operators) {
        if (one.kind != OperatorKind::unknown) continue;
        list += fmt::format("{}{} ({} call{})", list.empty() ? "" : ", ", one.name, one.calls,
                            one.calls == 1 ? "" : "s");
    }
    return list;
}

Table models_table(std::span<const ClassifierCost> results, const CostOptions& options) {
    Table table{.title = "",
                .columns = {{"model", false},
                            {"batch"},
                            {"parameters, M"},
                            {"buffers"},
                            {"file, MB"},
                            {"GMAC"},
                            {"without attention"},
                            {"GFLOP"},
                            {"peak activations, MB"},
                            {"measured peak, MB"},
                            {"latency, ms", true, Column::Show::value_and_interval}},
                .rows = {},
                .notes = {}};
    for (const ClassifierCost& one : results) {
        const ModelCost& cost = one.cost;
        Cell measured;
        if (cost.measured_peak_bytes) measured = scaled(*cost.measured_peak_bytes, 1e6);
        table.add({one.name, Count{static_cast<std::uint64_t>(cost.batch)},
                   scaled(cost.weights.parameters, 1e6), Count{cost.weights.buffers},
                   scaled(one.file_bytes, 1e6), scaled(one.macs_per_image(), 1e9),
                   scaled(one.macs_without_attention(), 1e9), scaled(2 * one.macs_per_image(), 1e9),
                   scaled(cost.peak_bytes, 1e6), measured,
                   cost.seconds.empty() ? Cell() : Cell(one.latency())});
    }
    table.notes = {
        "GMAC: 10^9 multiply-accumulates of convolutions and matrix products for one image; a FLOP "
        "count is twice that. Additions of biases, elementwise operators, normalisations, softmax "
        "and pooling are not in it.",
        "without attention: without products of two factors that both depend on the image.",
        "peak activations: tensors that live at once between nodes, the input among them, without "
        "weights and workspaces; measured peak: by LibTorch's allocator, with workspaces. Both of "
        "the whole batch; MB are 10^6 bytes."};
    if (options.runs > 0) {
        table.notes.push_back(fmt::format(
            "latency: median of {} runs after {} that warm up, with quartiles, of the whole batch "
            "on {} thread{}. It and the measured peak differ between runs and machines; the rest "
            "does not.",
            options.runs, CostRequest{}.warmup, options.threads, options.threads == 1 ? "" : "s"));
    }
    for (const ClassifierCost& one : results) {
        table.notes.push_back(fmt::format("{}: images of 3 x {} x {}; {} on {}; peak at {}.",
                                          one.name, one.spec.preprocess.height,
                                          one.spec.preprocess.width, one.facts.framework,
                                          one.facts.device, one.cost.peak_node));
        for (const auto* notes : {&one.facts.notes, &one.cost.notes}) {
            for (const std::string& note : *notes)
                table.notes.push_back(fmt::format("{}: {}.", one.name, note));
        }
    }
    return table;
}

Table apart_table(std::span<const ClassifierCost> results) {
    Table table{
        .title = "Beside the MAC: millions of numbers visited per image, 1 to 5 operations each",
        .columns = {{"model", false}},
        .rows = {},
        .notes = {}};
    for (const OperatorKind kind : kinds_apart)
        table.columns.push_back({.name = std::string(name_of(kind))});
    table.columns.push_back({"calls that move data"});
    table.columns.push_back({"calls without a rule"});
    for (const ClassifierCost& one : results) {
        std::vector<Cell> cells = {one.name};
        for (const OperatorKind kind : kinds_apart)
            cells.emplace_back(scaled(per_image(one.cost, one.cost.elements_of(kind)), 1e6));
        cells.emplace_back(Count{one.cost.calls_of(OperatorKind::movement)});
        cells.emplace_back(Count{one.cost.calls_of(OperatorKind::unknown)});
        table.add(std::move(cells));
    }
    return table;
}

Table operators_table(const ClassifierCost& one) {
    Table table{.title = one.name + ": operators",
                .columns = {{"operator", false},
                            {"kind", false},
                            {"calls"},
                            {"MMAC per image"},
                            {"of all MAC, %"},
                            {"MMAC of attention"},
                            {"numbers visited"}},
                .rows = {},
                .notes = {}};
    const auto all = static_cast<double>(one.cost.macs());
    for (const OperatorCost& op : one.cost.operators) {
        std::vector<Cell> cells = {op.name,
                                   std::string(name_of(op.kind)) + (op.integer ? ", integer" : ""),
                                   Count{op.calls}};
        if (op.kind == OperatorKind::product) {
            const Number share{.value = all > 0 ? static_cast<double>(op.macs) / all : 0,
                               .unit = Unit::proportion,
                               .digits = 2};
            cells.emplace_back(scaled(per_image(one.cost, op.macs), 1e6));
            cells.emplace_back(share);
            cells.emplace_back(scaled(per_image(one.cost, op.activation_macs), 1e6));
        } else if (op.kind != OperatorKind::movement && op.kind != OperatorKind::unknown) {
            cells.resize(6);
            cells.emplace_back(Count{op.elements});
        }
        table.add(std::move(cells));
    }
    return table;
}

Table nodes_table(const ClassifierCost& one) {
    Table table{.title = one.name + ": nodes in the order of execution",
                .columns = {{"node"},
                            {"name", false},
                            {"operator", false},
                            {"result", false},
                            {"MMAC per image"},
                            {"live, MB"}},
                .rows = {},
                .notes = {}};
    for (std::size_t i = 0; i < one.cost.nodes.size(); ++i) {
        const NodeCost& node = one.cost.nodes[i];
        table.add({Count{i + 1}, node.name == node.op ? std::string() : node.name, node.op,
                   node.shape,
                   node.macs > 0 ? Cell(scaled(per_image(one.cost, node.macs), 1e6)) : Cell(),
                   scaled(node.live_bytes, 1e6)});
    }
    return table;
}

nlohmann::json measured_json(const ClassifierCost& one, const CostOptions& options) {
    nlohmann::json out = {{"threads", options.threads}, {"runs", one.cost.seconds.size()},
                          {"device", one.facts.device}, {"framework", one.facts.framework},
                          {"peak_bytes", nullptr},      {"latency_ms", nullptr}};
    if (one.cost.measured_peak_bytes) out["peak_bytes"] = *one.cost.measured_peak_bytes;
    if (!one.cost.seconds.empty()) {
        const Estimate latency = one.latency();
        const auto [least, most] = std::ranges::minmax(one.cost.seconds);
        out["latency_ms"] = {{"median", *latency.value},
                             {"lower_quartile", latency.interval->low},
                             {"upper_quartile", latency.interval->high},
                             {"min", least * 1e3},
                             {"max", most * 1e3}};
    }
    return out;
}

nlohmann::json cost_json(const ClassifierCost& one, const CostOptions& options) {
    const ModelCost& cost = one.cost;
    nlohmann::json operators = nlohmann::json::array();
    nlohmann::json unknown = nlohmann::json::object();
    for (const OperatorCost& op : cost.operators) {
        operators.push_back({{"operator", op.name},
                             {"kind", name_of(op.kind)},
                             {"integer", op.integer},
                             {"calls", op.calls},
                             {"macs", op.macs},
                             {"attention_macs", op.activation_macs},
                             {"elements", op.elements}});
        if (op.kind == OperatorKind::unknown) unknown[op.name] = op.calls;
    }
    nlohmann::json elements = nlohmann::json::object();
    for (const OperatorKind kind : kinds_apart) elements[name_of(kind)] = cost.elements_of(kind);
    nlohmann::json out = {{"model", one.name},
                          {"path", one.spec.path.string()},
                          {"format", name_of(one.spec.format)},
                          {"input", {3, one.spec.preprocess.height, one.spec.preprocess.width}},
                          {"batch", cost.batch},
                          {"parameters", cost.weights.parameters},
                          {"buffers", cost.weights.buffers},
                          {"weight_bytes", cost.weights.bytes},
                          {"file_bytes", one.file_bytes},
                          {"macs", cost.macs()},
                          {"attention_macs", cost.activation_macs()},
                          {"macs_per_image", one.macs_per_image()},
                          {"flops_per_image", 2 * one.macs_per_image()},
                          {"elements", elements},
                          {"operators", operators},
                          {"unknown", unknown},
                          {"executed_nodes", cost.executed_nodes},
                          {"peak_activation_bytes", cost.peak_bytes},
                          {"peak_node", cost.peak_node},
                          {"notes", one.facts.notes},
                          {"measured", measured_json(one, options)}};
    for (const std::string& note : cost.notes) out["notes"].push_back(note);
    if (!options.nodes) return out;
    out["nodes"] = nlohmann::json::array();
    for (const NodeCost& node : cost.nodes)
        out["nodes"].push_back({{"name", node.name},
                                {"operator", node.op},
                                {"result", node.shape},
                                {"macs", node.macs},
                                {"live_bytes", node.live_bytes}});
    return out;
}

Table cost_records(std::span<const ClassifierCost> results) {
    Table table{.title = "",
                .columns = {{"model", false},
                            {"format", false},
                            {"height"},
                            {"width"},
                            {"batch"},
                            {"parameters"},
                            {"buffers"},
                            {"weight_bytes"},
                            {"file_bytes"},
                            {"macs_per_image"},
                            {"attention_macs_per_image"},
                            {"flops_per_image"},
                            {"peak_activation_bytes"},
                            {"peak_node", false},
                            {"unknown", false},
                            {"measured_peak_bytes"},
                            {"measured_latency_ms"},
                            {"measured_latency_ms_lower_quartile"},
                            {"measured_latency_ms_upper_quartile"},
                            {"measured_latency_ms_min"}},
                .rows = {},
                .notes = {}};
    for (const ClassifierCost& one : results) {
        const ModelCost& cost = one.cost;
        std::vector<Cell> cells = {one.name,
                                   std::string(name_of(one.spec.format)),
                                   Count{static_cast<std::uint64_t>(one.spec.preprocess.height)},
                                   Count{static_cast<std::uint64_t>(one.spec.preprocess.width)},
                                   Count{static_cast<std::uint64_t>(cost.batch)},
                                   Count{cost.weights.parameters},
                                   Count{cost.weights.buffers},
                                   Count{cost.weights.bytes},
                                   Count{one.file_bytes},
                                   Number{one.macs_per_image()},
                                   Number{per_image(cost, cost.activation_macs())},
                                   Number{2 * one.macs_per_image()},
                                   Count{cost.peak_bytes},
                                   cost.peak_node,
                                   unknown_text(cost)};
        cells.emplace_back(cost.measured_peak_bytes ? Cell(Count{*cost.measured_peak_bytes})
                                                    : Cell());
        if (!cost.seconds.empty()) {
            const Estimate latency = one.latency();
            for (const double value :
                 {*latency.value, latency.interval->low, latency.interval->high,
                  1e3 * std::ranges::min(cost.seconds)})
                cells.emplace_back(Number{value});
        }
        table.add(std::move(cells));
    }
    return table;
}

}  // namespace

Report report_of(std::span<const ClassifierCost> results, const CostOptions& options) {
    Report report;
    Section section;
    section.blocks.emplace_back(models_table(results, options));
    section.blocks.emplace_back(apart_table(results));
    nlohmann::json models = nlohmann::json::array();
    for (const ClassifierCost& one : results) {
        if (options.operators) section.blocks.emplace_back(operators_table(one));
        if (options.nodes) section.blocks.emplace_back(nodes_table(one));
        if (const std::string unknown = unknown_text(one.cost); !unknown.empty()) {
            report.warnings.push_back(fmt::format(
                "{}: operators without a rule, whose MAC are not counted: {}", one.name, unknown));
        }
        models.push_back(cost_json(one, options));
    }
    report.sections.push_back(std::move(section));
    report.records = cost_records(results);
    report.result = {{"schema", "assay.cost/1"},
                     {"flops_per_mac", 2},
                     {"differs_between_runs", {"models[].measured"}},
                     {"models", std::move(models)},
                     {"warnings", report.warnings}};
    return report;
}

}  // namespace assay
