// ONNX's activations, including soft-max.
#include <ATen/ops/elu.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/hardswish.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/softplus.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>
#include <fmt/format.h>

#include "model/torch/onnx_graph.h"

namespace assay::torch_plugin {
namespace {

using at::Tensor;

Tensor prelu(const OnnxCall& call) {
    const Tensor& x = call.in(0);
    Tensor slope = call.in(1);
    // Caffe's converters store the channels' slopes as a list of one dimension.
    if (slope.dim() == 1 && x.dim() > 2 && slope.size(0) == x.size(1) && slope.size(0) > 1) {
        Ints shape(static_cast<std::size_t>(x.dim()), 1);
        shape[1] = slope.size(0);
        slope = slope.reshape(shape);
    }
    return at::where(x.lt(0), x.mul(slope), x);
}

Tensor hard_sigmoid(const OnnxCall& call) {
    return call.in(0).mul(call.real("alpha", 0.2)).add(call.real("beta", 0.5)).clamp(0, 1);
}

/// Selu: gamma * (x for x > 0, alpha * (exp(x) - 1) else), with the standard's defaults.
Tensor selu(const OnnxCall& call) {
    return at::elu(call.in(0), call.real("alpha", 1.67326319217681884765625),
                   call.real("gamma", 1.05070102214813232421875), 1);
}

/// Celu is max(0, x) + min(0, alpha * (exp(x / alpha) - 1)).
Tensor celu(const OnnxCall& call) {
    const double alpha = call.real("alpha", 1.0);
    return at::elu(call.in(0), alpha, 1, 1 / alpha);
}

Tensor gelu(const OnnxCall& call) {
    const std::string approximate = call.text("approximate", "none");
    if (approximate != "none" && approximate != "tanh")
        throw NodeError(
            fmt::format("approximate \"{}\" is unknown; none and tanh are allowed", approximate));
    return at::gelu(call.in(0), approximate);
}

Tensor thresholded_relu(const OnnxCall& call) {
    const Tensor& x = call.in(0);
    return x.mul(x.gt(call.real("alpha", 1.0)));
}

/// Shrink is (x + bias) below -lambd, (x - bias) above lambd, 0 between.
Tensor shrink(const OnnxCall& call) {
    const Tensor& x = call.in(0);
    const double bias = call.real("bias", 0.0), lambda = call.real("lambd", 0.5);
    return x.add(bias).mul(x.lt(-lambda)).add(x.sub(bias).mul(x.gt(lambda)));
}

/// Before opset 13 the dimensions from `axis` on are merged. Since then the soft-max runs only
/// along `axis`.
template <class Function>
Tensor soft_max(const OnnxCall& call, Function&& function) {
    const Tensor& x = call.in(0);
    const bool along = call.opset() >= 13;
    std::int64_t axis = call.integer("axis", along ? -1 : 1);
    if (along) return function(x, axis_in(axis, x.dim()));
    axis = axis == x.dim() ? axis : axis_in(axis, x.dim());
    std::int64_t outer = 1;
    for (std::int64_t d = 0; d < axis; ++d) outer *= x.size(d);
    return function(x.reshape({outer, outer == 0 ? 0 : x.numel() / outer}), 1).reshape(x.sizes());
}

}  // namespace

std::span<const OnnxOperator> activation_operators() {
    static constexpr OnnxOperator table[] = {
        {"Relu", [](const OnnxCall& c) { return c.in(0).relu(); }},
        {"LeakyRelu",
         [](const OnnxCall& c) { return at::leaky_relu(c.in(0), c.real("alpha", 0.01)); }},
        {"PRelu", prelu},
        {"ThresholdedRelu", thresholded_relu},
        {"Shrink", shrink},
        {"Elu", [](const OnnxCall& c) { return at::elu(c.in(0), c.real("alpha", 1.0)); }},
        {"Celu", celu},
        {"Selu", selu},
        {"Gelu", gelu},
        {"Sigmoid", [](const OnnxCall& c) { return c.in(0).sigmoid(); }},
        {"HardSigmoid", hard_sigmoid},
        {"HardSwish", [](const OnnxCall& c) { return at::hardswish(c.in(0)); }},
        {"Tanh", [](const OnnxCall& c) { return c.in(0).tanh(); }},
        {"Softplus", [](const OnnxCall& c) { return at::softplus(c.in(0)); }},
        {"Softsign", [](const OnnxCall& c) { return c.in(0).div(c.in(0).abs().add(1)); }},
        {"Mish", [](const OnnxCall& c) { return c.in(0).mul(at::softplus(c.in(0)).tanh()); }},
        {"Softmax",
         [](const OnnxCall& c) {
             return soft_max(c, [](const Tensor& x, std::int64_t d) { return at::softmax(x, d); });
         }},
        {"Hardmax",
         [](const OnnxCall& c) {
             return soft_max(c, [](const Tensor& x, std::int64_t d) {
                 return at::zeros_like(x).scatter(d, x.argmax(d, true), 1);
             });
         }},
        {"LogSoftmax",
         [](const OnnxCall& c) {
             return soft_max(c,
                             [](const Tensor& x, std::int64_t d) { return at::log_softmax(x, d); });
         }},
    };
    return table;
}

}  // namespace assay::torch_plugin
