#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "assay/evaluate/cost.h"
#include "assay/model/model_spec.h"
#include "core/result_table.h"
#include "evaluate/cost_result.h"

namespace assay {
namespace {

/// Formats four significant digits, with at least three decimals below 100 and one above.
Number scaled(double value, double unit) {
    const double shown = value / unit;
    const int leading = shown > 0 ? static_cast<int>(std::floor(std::log10(shown))) : 0;
    if (shown == 0) return {.value = 0, .digits = 0};
    return {.value = shown, .digits = std::clamp(3 - leading, leading > 1 ? 1 : 3, 9)};
}

Number scaled(std::uint64_t value, double unit) {
    return scaled(static_cast<double>(value), unit);
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
        const auto weighed = [&](auto&& cell) {
            return cost.no_weights.empty() ? Cell(cell) : Cell();
        };
        const auto counted = [&](auto&& cell) {
            return cost.no_operators.empty() ? Cell(cell) : Cell();
        };
        table.add(
            {one.name, Count{static_cast<std::uint64_t>(cost.batch)},
             weighed(scaled(cost.weights.parameters, 1e6)), weighed(Count{cost.weights.buffers}),
             one.file_bytes > 0 ? Cell(scaled(one.file_bytes, 1e6)) : Cell(),
             counted(scaled(one.macs_per_image(), 1e9)),
             counted(scaled(one.macs_without_attention(), 1e9)),
             counted(scaled(2 * one.macs_per_image(), 1e9)), counted(scaled(cost.peak_bytes, 1e6)),
             measured, cost.seconds.empty() ? Cell() : Cell(one.latency())});
    }
    table.notes = {
        "GMAC: 10^9 multiply-accumulates of convolutions and matrix products for one image; a FLOP "
        "count is twice that. Additions of biases, elementwise operators, normalisations, softmax "
        "and pooling are not in it.",
        "without attention: without products of two factors that both depend on the image.",
        "peak activations: tensors that exist at the same time between nodes, with the input, "
        "without weights and workspaces; measured peak: by LibTorch's allocator, with workspaces. "
        "Both are for the whole batch; MB are 10^6 bytes."};
    if (options.runs > 0) {
        table.notes.push_back(fmt::format(
            "latency: median of {} runs after {} warm-up runs, with quartiles, of the whole batch "
            "on {} thread{}. It and the measured peak differ between runs and machines; the rest "
            "does not.",
            options.runs, CostRequest{}.warmup, options.threads, options.threads == 1 ? "" : "s"));
    }
    for (const ClassifierCost& one : results) {
        const std::string& peak = one.cost.peak_node;
        table.notes.push_back(fmt::format(
            "{}: images of 3 x {} x {}; {} on {}{}.", one.name, one.spec.preprocess.height,
            one.spec.preprocess.width, one.facts.framework, one.facts.device,
            one.cost.no_operators.empty() ? "; peak at " + peak : std::string()));
        if (!one.cost.no_weights.empty()) {
            table.notes.push_back(
                fmt::format("{}: parameters are unknown: {}.", one.name, one.cost.no_weights));
        }
        if (!one.cost.no_operators.empty()) {
            table.notes.push_back(fmt::format("{}: multiply-accumulates are unknown: {}.", one.name,
                                              one.cost.no_operators));
        }
        for (const auto* notes : {&one.facts.notes, &one.cost.notes}) {
            for (const std::string& note : *notes)
                table.notes.push_back(fmt::format("{}: {}.", one.name, note));
        }
    }
    return table;
}

Table apart_table(std::span<const ClassifierCost> results) {
    Table table{
        .title = "Not in the MAC: millions of numbers visited per image, 1 to 5 operations each",
        .columns = {{"model", false}},
        .rows = {},
        .notes = {}};
    for (const OperatorKind kind : cost_kinds_apart)
        table.columns.push_back({.name = std::string(name_of(kind))});
    table.columns.push_back({"calls that move data"});
    table.columns.push_back({"calls without a rule"});
    for (const ClassifierCost& one : results) {
        if (!one.cost.no_operators.empty()) {
            std::vector<Cell> none = {one.name};
            none.resize(table.columns.size());
            table.add(std::move(none));
            continue;
        }
        std::vector<Cell> cells = {one.name};
        for (const OperatorKind kind : cost_kinds_apart)
            cells.emplace_back(scaled(cost_per_image(one.cost, one.cost.elements_of(kind)), 1e6));
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
            cells.emplace_back(scaled(cost_per_image(one.cost, op.macs), 1e6));
            cells.emplace_back(share);
            cells.emplace_back(scaled(cost_per_image(one.cost, op.activation_macs), 1e6));
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
                   node.macs > 0 ? Cell(scaled(cost_per_image(one.cost, node.macs), 1e6)) : Cell(),
                   scaled(node.live_bytes, 1e6)});
    }
    return table;
}

}  // namespace

Report report_of(std::span<const ClassifierCost> results, const CostOptions& options) {
    Report report;
    Section section;
    section.blocks.emplace_back(models_table(results, options));
    section.blocks.emplace_back(apart_table(results));
    CostResult result;
    for (const ClassifierCost& one : results) {
        if (options.operators) section.blocks.emplace_back(operators_table(one));
        if (options.nodes) section.blocks.emplace_back(nodes_table(one));
        if (const std::string unknown = unknown_operators(one.cost); !unknown.empty()) {
            report.warnings.push_back(fmt::format(
                "{}: operators without a rule, whose MAC are not counted: {}", one.name, unknown));
        }
        result.models.push_back({&one, &options});
    }
    report.sections.push_back(std::move(section));
    report.records = table_of(result.models);
    result.warnings = report.warnings;
    report.result = json_of(result);
    return report;
}

}  // namespace assay
