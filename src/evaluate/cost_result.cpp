#include "evaluate/cost_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "assay/model/model_spec.h"

namespace assay {

double cost_per_image(const ModelCost& cost, std::uint64_t of_batch) {
    return static_cast<double>(of_batch) / static_cast<double>(cost.batch);
}

std::string unknown_operators(const ModelCost& cost) {
    std::string list;
    for (const OperatorCost& one : cost.operators) {
        if (one.kind != OperatorKind::unknown) continue;
        list += fmt::format("{}{} ({} call{})", list.empty() ? "" : ", ", one.name, one.calls,
                            one.calls == 1 ? "" : "s");
    }
    return list;
}

ResultType result_type(ResultOf<OperatorCost>) {
    static constexpr auto rows = describe_result<OperatorCost>(
        {.name = "OperatorCost", .help = "All executed calls of one operator"},
        {
            part<&OperatorCost::name>({.name = "operator"}),
            part<&OperatorCost::kind>({}),
            part<&OperatorCost::integer>({.help = "True if its products are of quantised numbers"}),
            part<&OperatorCost::calls>({}),
            part<&OperatorCost::macs>({.help = "Multiply-accumulates of the whole batch"}),
            part<&OperatorCost::activation_macs>(
                {.help = "Of these, products whose two factors both depend on the image",
                 .name = "attention_macs"}),
            part<&OperatorCost::elements>({.help = "Numbers that the operator visits"}),
        });
    return rows;
}

ResultType result_type(ResultOf<NodeCost>) {
    static constexpr auto rows = describe_result<NodeCost>(
        {.name = "NodeCost", .help = "One node of the graph, as executed"},
        {
            part<&NodeCost::name>({}),
            part<&NodeCost::op>({.name = "operator"}),
            part<&NodeCost::shape>({.help = "Shape of its last output", .name = "result"}),
            part<&NodeCost::macs>({}),
            part<&NodeCost::live_bytes>({.help = "Bytes of activations in memory while it runs"}),
        });
    return rows;
}

namespace {

struct CostLatency {
    double median, lower_quartile, upper_quartile, min, max;
};
ResultType result_type(ResultOf<CostLatency>) {
    static constexpr auto rows = describe_result<CostLatency>(
        {.name = "CostLatency"}, {
                                     part<&CostLatency::median>({}),
                                     part<&CostLatency::lower_quartile>({}),
                                     part<&CostLatency::upper_quartile>({}),
                                     part<&CostLatency::min>({}),
                                     part<&CostLatency::max>({}),
                                 });
    return rows;
}

struct MeasuredCost {
    const ClassifierCost* classifier;
    const CostOptions* options;

    std::size_t runs() const { return classifier->cost.seconds.size(); }
    std::optional<CostLatency> latency() const {
        const std::vector<double>& seconds = classifier->cost.seconds;
        if (seconds.empty()) return {};
        const Estimate latency = classifier->latency();
        const auto [least, most] = std::ranges::minmax(seconds);
        return CostLatency{*latency.value, latency.interval->low, latency.interval->high,
                           least * 1e3, most * 1e3};
    }
};
ResultType result_type(ResultOf<MeasuredCost>) {
    static constexpr auto classifier = &MeasuredCost::classifier;
    static constexpr auto rows = describe_result<MeasuredCost>(
        {.name = "MeasuredCost", .help = "What differs between runs and machines"},
        {
            part<&MeasuredCost::options, &CostOptions::threads>({}),
            part<&MeasuredCost::runs>({}),
            part<classifier, &ClassifierCost::facts, &ModelFacts::device>({}),
            part<classifier, &ClassifierCost::facts, &ModelFacts::framework>({}),
            part<classifier, &ClassifierCost::cost, &ModelCost::measured_peak_bytes>(
                {.help = "Peak by LibTorch's allocator", .name = "peak_bytes"}),
            part<&MeasuredCost::latency>(
                {.help = "Null if no runs were timed", .name = "latency_ms"}),
        });
    return rows;
}

MeasuredCost measured(const ShownCost& shown) {
    return {shown.classifier, shown.options};
}

std::map<std::string, std::uint64_t> unknown_of(const ModelCost& cost) {
    std::map<std::string, std::uint64_t> out;
    for (const OperatorCost& op : cost.operators) {
        if (op.kind == OperatorKind::unknown) out[op.name] = op.calls;
    }
    return out;
}

std::map<std::string, std::uint64_t> elements_of(const ModelCost& cost) {
    std::map<std::string, std::uint64_t> out;
    for (const OperatorKind kind : cost_kinds_apart)
        out[std::string(name_of(kind))] = cost.elements_of(kind);
    return out;
}

/// No value if the numbers of weights are not known.
template <class Value>
std::optional<Value> weighed(const ShownCost& shown, Value value) {
    return shown.classifier->cost.no_weights.empty() ? std::optional(value) : std::nullopt;
}

/// No value if operators were not counted.
template <class Value>
std::optional<Value> counted(const ShownCost& shown, Value value) {
    return shown.classifier->cost.no_operators.empty() ? std::optional(std::move(value))
                                                       : std::nullopt;
}

std::vector<std::string> notes_of(const ClassifierCost& classifier) {
    std::vector<std::string> out = classifier.facts.notes;
    out.insert(out.end(), classifier.cost.notes.begin(), classifier.cost.notes.end());
    return out;
}

}  // namespace

ResultType result_type(ResultOf<ShownCost>) {
    static constexpr auto of = &ShownCost::classifier;
    static constexpr auto spec = &ClassifierCost::spec;
    static constexpr auto cost = &ClassifierCost::cost;
    static constexpr auto rows = describe_result<ShownCost>(
        {.name = "ModelCost",
         .columns = "model,format,height,width,batch,parameters,buffers,weight_bytes,file_bytes,"
                    "macs_per_image,attention_macs_per_image,flops_per_image,peak_activation_bytes,"
                    "peak_node,unknown=unknown_text,measured_peak_bytes=measured.peak_bytes,"
                    "measured_latency_ms=measured.latency_ms.median,"
                    "measured_latency_ms_lower_quartile=measured.latency_ms.lower_quartile,"
                    "measured_latency_ms_upper_quartile=measured.latency_ms.upper_quartile,"
                    "measured_latency_ms_min=measured.latency_ms.min"},
        {
            part<of, &ClassifierCost::name>({.name = "model"}),
            part<of, spec, &ModelSpec::path>({}),
            part<of, spec, &ModelSpec::format>({}),
            part({.help = "Channels, height, width", .name = "input"},
                 [](const ShownCost& s) {
                     const auto& size = s.classifier->spec.preprocess;
                     return std::array<std::int64_t, 3>{3, size.height, size.width};
                 }),
            part<of, cost, &ModelCost::batch>({}),
            part({.help = "Null if they are not known (`no_weights` says why)",
                  .name = "parameters"},
                 [](const ShownCost& s) {
                     return weighed(s, s.classifier->cost.weights.parameters);
                 }),
            part({.help = "Likewise", .name = "buffers"},
                 [](const ShownCost& s) { return weighed(s, s.classifier->cost.weights.buffers); }),
            part({.help = "Likewise", .name = "weight_bytes"},
                 [](const ShownCost& s) { return weighed(s, s.classifier->cost.weights.bytes); }),
            part<of, &ClassifierCost::file_bytes>({.help = "0: no file"}),
            part({.help = "Multiply-accumulates of the whole batch. Null if unknown "
                          "(`no_operators` says why)",
                  .name = "macs"},
                 [](const ShownCost& s) { return counted(s, s.classifier->cost.macs()); }),
            part({.help = "Likewise", .name = "attention_macs"},
                 [](const ShownCost& s) {
                     return counted(s, s.classifier->cost.activation_macs());
                 }),
            part({.help = "Likewise", .name = "macs_per_image"},
                 [](const ShownCost& s) { return counted(s, s.classifier->macs_per_image()); }),
            part({.help = "Likewise", .name = "flops_per_image"},
                 [](const ShownCost& s) { return counted(s, 2 * s.classifier->macs_per_image()); }),
            part({.help = "Numbers that operators visit, by kind; null if unknown",
                  .name = "elements"},
                 [](const ShownCost& s) { return counted(s, elements_of(s.classifier->cost)); }),
            part<of, cost, &ModelCost::operators>({}),
            part({.help = "Calls of operators without a rule: the sums are then too low",
                  .name = "unknown"},
                 [](const ShownCost& s) { return unknown_of(s.classifier->cost); }),
            part<of, cost, &ModelCost::executed_nodes>({}),
            part({.help = "Null if unknown", .name = "peak_activation_bytes"},
                 [](const ShownCost& s) { return counted(s, s.classifier->cost.peak_bytes); }),
            part<of, cost, &ModelCost::peak_node>({}),
            part<of, cost, &ModelCost::no_weights>(
                {.help = "Why the numbers of weights are not known", .omitted = true}),
            part<of, cost, &ModelCost::no_operators>(
                {.help = "Why operators were not counted", .omitted = true}),
            part({.name = "notes"}, [](const ShownCost& s) { return notes_of(*s.classifier); }),
            part({.name = "measured"}, [](const ShownCost& s) { return measured(s); }),
            part({.help = "With `--nodes`", .name = "nodes", .omitted = true},
                 [](const ShownCost& s) {
                     return s.options->nodes ? &s.classifier->cost.nodes : nullptr;
                 }),
            part<of, spec, &ModelSpec::preprocess, &Preprocess::height>({.only_csv = true}),
            part<of, spec, &ModelSpec::preprocess, &Preprocess::width>({.only_csv = true}),
            part({.name = "attention_macs_per_image", .only_csv = true},
                 [](const ShownCost& s) {
                     const ModelCost& model = s.classifier->cost;
                     return counted(s, cost_per_image(model, model.activation_macs()));
                 }),
            part({.name = "unknown_text", .only_csv = true},
                 [](const ShownCost& s) { return unknown_operators(s.classifier->cost); }),
        });
    return rows;
}

ResultType result_type(ResultOf<CostResult>) {
    static constexpr auto rows = describe_result<CostResult>(
        {.name = "CostResult", .help = "What `assay cost` prints", .schema = "assay.cost/1"},
        {
            part({.help = "Always 2", .name = "flops_per_mac"},
                 [](const CostResult&) { return 2; }),
            part({.name = "differs_between_runs"},
                 [](const CostResult&) { return std::vector<std::string>{"models[].measured"}; }),
            part<&CostResult::models>({}),
            part<&CostResult::warnings>({}),
        });
    return rows;
}

}  // namespace assay
