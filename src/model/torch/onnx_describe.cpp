#include "model/torch/onnx_describe.h"

#include <algorithm>

namespace assay::torch_plugin {
namespace {

using ConstantOf = std::function<at::Tensor(int)>;

bool is_float_on_processor(const at::Tensor& tensor) {
    return tensor.defined() && tensor.is_cpu() && tensor.scalar_type() == at::kFloat;
}

int input_of(const OnnxNode& node, std::size_t i) {
    return i < node.inputs.size() ? node.inputs[i] : -1;
}

bool all_at_least(const Ints& numbers, std::int64_t least) {
    return std::ranges::all_of(numbers,
                               [&](std::int64_t n) { return n >= least && n <= (1 << 24); });
}

DescribedStep convolution_node(const OnnxNode& node, const OnnxCall& call,
                               const ConstantOf& constant) {
    DescribedStep out;
    const at::Tensor weight = constant(input_of(node, 1));
    const int bias = input_of(node, 2);
    if (node.inputs.size() > 3 || !is_float_on_processor(weight) || weight.dim() != 4) return out;
    if (weight.numel() == 0) return out;
    const Ints kernel = {weight.size(2), weight.size(3)};
    const Ints pads = call.integers("pads", Ints(4, 0));
    out.shape = {call.integers("strides", Ints(2, 1)), pads, call.integers("dilations", Ints(2, 1)),
                 call.integer("group", 1)};
    if (call.integers("kernel_shape", kernel) != kernel ||
        call.text("auto_pad", "NOTSET") != "NOTSET" || pads.size() != 4 || pads[0] != pads[2] ||
        pads[1] != pads[3] || out.shape.strides.size() != 2 || out.shape.dilations.size() != 2)
        return out;
    out.shape.padding.resize(2);
    if (!all_at_least(out.shape.strides, 1) || !all_at_least(out.shape.dilations, 1) ||
        !all_at_least(pads, 0) || out.shape.groups < 1 || weight.size(0) % out.shape.groups != 0)
        return out;
    if (bias >= 0) {
        out.bias = constant(bias);
        if (!is_float_on_processor(out.bias) || out.bias.dim() != 1 ||
            out.bias.size(0) != weight.size(0))
            return out;
    }
    out.weight = weight;
    out.meaning = Meaning::convolution;
    return out;
}

DescribedStep norm_node(const OnnxNode& node, const OnnxCall& call, const ConstantOf& constant) {
    DescribedStep out;
    const bool training = call.opset() >= 14 ? call.integer("training_mode", 0) != 0
                                             : call.outputs() > 1 && call.wants(1);
    if (training || call.integer("spatial", 1) != 1) return out;
    out.norm = {constant(input_of(node, 1)), constant(input_of(node, 2)),
                constant(input_of(node, 3)), constant(input_of(node, 4)),
                call.real("epsilon", 1e-5)};
    for (const at::Tensor& one :
         {out.norm.scale, out.norm.bias, out.norm.mean, out.norm.variance}) {
        if (!is_float_on_processor(one)) return out;
    }
    out.meaning = Meaning::batch_norm;
    return out;
}

DescribedStep matrix_product(const OnnxNode& node, const ConstantOf& constant) {
    DescribedStep out;
    out.weight = constant(input_of(node, 1));
    if (!is_float_on_processor(out.weight) || out.weight.dim() != 2 || out.weight.numel() == 0)
        return out;
    out.meaning = Meaning::product;
    return out;
}

DescribedStep two_operands(const OnnxNode& node, Meaning meaning, const ConstantOf& constant) {
    DescribedStep out;
    // an attribute controls broadcasting
    if (node.opset < 7 || node.inputs.size() != 2) return out;
    out.meaning = meaning;
    out.other = input_of(node, 1);
    for (const int v : node.inputs) {
        if (const at::Tensor known = constant(v); known.defined()) out.constant = known;
    }
    if (out.constant.defined() && !is_float_on_processor(out.constant))
        out.meaning = Meaning::other;
    return out;
}

DescribedStep activation_node(LayerActivation which) {
    DescribedStep out;
    out.meaning = Meaning::activation;
    out.activation = which;
    return out;
}

/// Clips to 0 and 6. The bounds are attributes before opset 11.
DescribedStep clip_node(const OnnxNode& node, const OnnxCall& call, const ConstantOf& constant) {
    const auto is = [&](const char* attribute, std::size_t i, double wanted) {
        if (call.has_attribute(attribute)) return call.real(attribute, 0) == wanted;
        const at::Tensor bound = constant(input_of(node, i));
        return is_float_on_processor(bound) && bound.numel() == 1 && bound.item<double>() == wanted;
    };
    if (!is("min", 1, 0) || !is("max", 2, 6)) return {};
    return activation_node(LayerActivation::relu6);
}

DescribedStep meaning_of(const OnnxNode& node, const OnnxCall& call, const ConstantOf& constant) {
    if (node.op == "Conv") return convolution_node(node, call, constant);
    if (node.op == "BatchNormalization") return norm_node(node, call, constant);
    if (node.op == "MatMul") return matrix_product(node, constant);
    if (node.op == "Add") return two_operands(node, Meaning::sum, constant);
    if (node.op == "Mul") return two_operands(node, Meaning::multiplication, constant);
    if (node.op == "Relu") return activation_node(LayerActivation::relu);
    if (node.op == "Clip") return clip_node(node, call, constant);
    if (node.op == "HardSwish") return activation_node(LayerActivation::hard_swish);
    if (node.op == "com.microsoft::Gelu") return activation_node(LayerActivation::gelu);
    if (node.op == "Gelu") {
        const std::string how = call.text("approximate", "none");
        if (how == "none") return activation_node(LayerActivation::gelu);
        if (how == "tanh") return activation_node(LayerActivation::gelu_tanh);
    }
    DescribedStep out;
    if (node.op == "Sigmoid") out.meaning = Meaning::sigmoid;
    return out;
}

}  // namespace

DescribedStep described_node(const OnnxNode& node, const ConstantOf& constant) {
    // For a newer opset, the operator checks all attributes when it runs.
    if (node.opset > kNewestOpset || !node.blocks.empty() || input_of(node, 0) < 0) return {};
    DescribedStep out;
    try {
        out = meaning_of(node, OnnxCall(node, {}), constant);
    } catch (const NodeError&) {
        return {};  // the operator reports the error
    }
    out.input = input_of(node, 0);
    return out;
}

}  // namespace assay::torch_plugin
