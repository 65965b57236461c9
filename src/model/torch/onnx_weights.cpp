// Counts the numbers of an ONNX graph that are weights, and those that are buffers.
#include <set>

#include "model/torch/onnx_graph.h"

namespace assay::torch_plugin {
namespace {

/// The inputs of a quantized operator that are weights, and those that are scales and zero points.
struct QuantisedInputs {
    std::string_view op;
    std::vector<std::size_t> weights, scales;
};

}  // namespace

WeightCost count_onnx_weights(const OnnxGraph& graph) {
    static const QuantisedInputs quantised[] = {
        {"DequantizeLinear", {0}, {1, 2}},
        {"QuantizeLinear", {}, {1, 2}},
        {"com.microsoft::DequantizeLinear", {0}, {1, 2}},
        {"com.microsoft::QuantizeLinear", {}, {1, 2}},
        {"QLinearConv", {3, 8}, {1, 2, 4, 5, 6, 7}},
        {"QLinearMatMul", {3}, {1, 2, 4, 5, 6, 7}},
        {"MatMulInteger", {1}, {2, 3}},
        {"ConvInteger", {1}, {2, 3}},
        {"com.microsoft::QLinearConv", {3, 8}, {1, 2, 4, 5, 6, 7}},
        {"com.microsoft::QGemm", {3, 6}, {1, 2, 4, 5, 7, 8}},
        {"com.microsoft::MatMulIntegerToFloat", {1}, {2, 3, 4, 5}},
        {"com.microsoft::DynamicQuantizeMatMul", {1}, {2, 3}},
    };
    std::set<int> statistics;
    std::set<int> whole;  // weights stored as integers
    for (const OnnxNode& node : graph.nodes) {
        if (node.op == "BatchNormalization") {
            for (std::size_t i = 3; i < node.inputs.size(); ++i) statistics.insert(node.inputs[i]);
        }
        // Other operators process images. Constants that are not integers are scales there.
        if (node.op.starts_with("com.microsoft::QLinear"))
            statistics.insert(node.inputs.begin(), node.inputs.end());
        for (const QuantisedInputs& q : quantised) {
            if (node.op != q.op) continue;
            for (const std::size_t i : q.weights) {
                if (i < node.inputs.size()) whole.insert(node.inputs[i]);
            }
            for (const std::size_t i : q.scales) {
                if (i < node.inputs.size()) statistics.insert(node.inputs[i]);
            }
        }
    }
    WeightCost weights;
    const auto add = [&](const at::Tensor& tensor, std::uint64_t& numbers) {
        numbers += static_cast<std::uint64_t>(tensor.numel());
        weights.bytes += tensor.nbytes();
    };
    for (const int v : whole) {
        if (v >= 0 && graph.constants[v].defined() && !graph.constants[v].is_floating_point())
            add(graph.constants[v], weights.parameters);
    }
    for (std::size_t v = 0; v < graph.constants.size(); ++v) {
        const at::Tensor& tensor = graph.constants[v];
        if (!tensor.defined() || !tensor.is_floating_point()) continue;
        add(tensor,
            statistics.contains(static_cast<int>(v)) ? weights.buffers : weights.parameters);
    }
    if (weights.parameters > 0) return weights;
    for (const OnnxNode& node : graph.nodes) {
        for (const OnnxAttribute& attribute : node.attributes) {
            const auto* tensor = std::get_if<at::Tensor>(&attribute.value);
            if (tensor != nullptr && tensor->is_floating_point()) add(*tensor, weights.parameters);
        }
    }
    return weights;
}

}  // namespace assay::torch_plugin
