// ONNX's layers with weights: convolutions, matrix products, normalisations.
#include <ATen/ops/addmm.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/einsum.h>
#include <ATen/ops/group_norm.h>
#include <ATen/ops/instance_norm.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/zeros_like.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/torch/onnx_graph.h"

namespace assay::torch_plugin {
using at::Tensor;

ConvolutionWindow window_of(const OnnxCall& call) {
    const Tensor& x = call.in(0);
    const Tensor& weight = call.in(1);
    if (x.dim() < 3 || x.dim() > 5 || weight.dim() != x.dim())
        throw NodeError(
            fmt::format("input and weight of a convolution have {} and {} dimensions; equally "
                        "many, 3 to 5, are allowed",
                        x.dim(), weight.dim()));
    ConvolutionWindow out;
    out.kernel = Ints(weight.sizes().begin() + 2, weight.sizes().end());
    if (call.integers("kernel_shape", out.kernel) != out.kernel)
        throw NodeError(fmt::format("kernel_shape differs from the weight's size, {}",
                                    fmt::join(out.kernel, " x ")));
    const std::size_t spatial = out.kernel.size();
    out.strides = call.integers("strides", Ints(spatial, 1));
    out.dilations = call.integers("dilations", Ints(spatial, 1));
    if (out.strides.size() != spatial || out.dilations.size() != spatial)
        throw NodeError(fmt::format("strides and dilations have {} and {} numbers instead of {}",
                                    out.strides.size(), out.dilations.size(), spatial));
    for (std::size_t d = 0; d < spatial; ++d) {
        constexpr std::int64_t most = 1 << 24;
        if (out.strides[d] < 1 || out.dilations[d] < 1 || out.kernel[d] < 1)
            throw NodeError("kernel, strides and dilations must be positive");
        if (out.strides[d] > most || out.dilations[d] > most)
            throw NodeError("strides and dilations must be at most 2^24");
        out.reach.push_back((out.kernel[d] - 1) * out.dilations[d] + 1);
    }
    return out;
}

Tensor convolved(const OnnxCall& call) {
    const ConvolutionWindow w = window_of(call);
    Tensor x = call.in(0);
    Padding padding = padding_of(call, x, w.reach, w.strides);
    if (!padding.symmetric()) {
        x = padded(x, padding, 0);
        padding.before.assign(padding.before.size(), 0);
    }
    return at::convolution(x, call.in(1), call.in_or_none(2), w.strides, padding.before,
                           w.dilations, false, Ints(w.kernel.size(), 0), call.integer("group", 1));
}

namespace {

Tensor conv_transpose(const OnnxCall& call) {
    const ConvolutionWindow w = window_of(call);
    const Tensor& x = call.in(0);
    const std::size_t spatial = w.kernel.size();
    const Ints extra = call.integers("output_padding", Ints(spatial, 0));
    const Ints wanted = call.integers("output_shape");
    const std::string automatic = call.text("auto_pad", "NOTSET");
    if (extra.size() != spatial || (!wanted.empty() && wanted.size() != spatial))
        throw NodeError(
            fmt::format("output_padding and output_shape need {} numbers each", spatial));
    Padding padding;
    if (wanted.empty() && (automatic == "NOTSET" || automatic == "VALID")) {
        padding = padding_of(call, x, w.reach, w.strides);
    } else {
        for (std::size_t d = 0; d < spatial; ++d) {
            const std::int64_t size = x.size(static_cast<std::int64_t>(d) + 2);
            const std::int64_t target = wanted.empty() ? size * w.strides[d] : wanted[d];
            const std::int64_t total = std::max<std::int64_t>(
                0, w.strides[d] * (size - 1) + extra[d] + w.reach[d] - target);
            const std::int64_t half = total / 2;
            padding.before.push_back(automatic == "SAME_UPPER" ? half : total - half);
            padding.after.push_back(total - padding.before.back());
        }
    }
    const Ints none(spatial, 0);
    if (padding.symmetric()) {
        return at::convolution(x, call.in(1), call.in_or_none(2), w.strides, padding.before,
                               w.dilations, true, extra, call.integer("group", 1));
    }
    // The padding of a transposed convolution crops its result.
    for (std::size_t d = 0; d < spatial; ++d) {
        padding.before[d] = -padding.before[d];
        padding.after[d] = -padding.after[d];
    }
    return padded(at::convolution(x, call.in(1), call.in_or_none(2), w.strides, none, w.dilations,
                                  true, extra, call.integer("group", 1)),
                  padding, 0);
}

}  // namespace

Tensor general_product(const OnnxCall& call) {
    const auto operand = [&](std::size_t i, const char* transposed) {
        const Tensor& x = call.in(i);
        if (x.dim() != 2)
            throw NodeError(fmt::format("input {} must have 2 dimensions, but has {}", i, x.dim()));
        return call.integer(transposed, 0) != 0 ? x.t() : x;
    };
    const Tensor a = operand(0, "transA");
    const Tensor b = operand(1, "transB");
    const double alpha = call.real("alpha", 1.0);
    if (!call.has(2)) {
        const Tensor product = a.matmul(b);
        return alpha == 1.0 ? product : product.mul(alpha);
    }
    return at::addmm(call.in(2), a, b, call.real("beta", 1.0), alpha);
}

namespace {

/// In training mode, the statistics are those of the batch, so images would affect each other. This
/// is right if the input does not depend on images: networks with standardized weights normalize
/// them so.
Tensors batch_normalization(const OnnxCall& call) {
    const Tensor& x = call.in(0);
    // Before opset 14, outputs for the statistics imply training. But old converters also wrote
    // these outputs for evaluation, and no node reads them.
    const bool training = call.opset() >= 14
                              ? call.integer("training_mode", 0) != 0
                              : call.outputs() > 1 && (call.folding() || call.wants(1));
    const double epsilon = call.real("epsilon", 1e-5);
    if (call.integer("spatial", 1) != 1) throw NotSupported("spatial = 0 is not supported");
    if (!training) {
        return {at::batch_norm(x, call.in(1), call.in(2), call.in(3), call.in(4), false, 0.0,
                               epsilon, false)};
    }
    if (!call.folding()) {
        throw NodeError(
            "it is in training mode: a score would depend on the other images of its batch; export "
            "the model after eval()");
    }
    if (x.dim() < 2) throw NodeError("its input needs at least 2 dimensions");
    Ints axes;
    for (std::int64_t d = 0; d < x.dim(); ++d) {
        if (d != 1) axes.push_back(d);
    }
    const double kept = call.real("momentum", 0.9);
    const auto running = [&](std::size_t i, const Tensor& now) {
        return call.in(i).mul(kept).add(now.mul(1 - kept));
    };
    return {at::batch_norm(x, call.in(1), call.in(2), {}, {}, true, 0.0, epsilon, false),
            call.wants(1) ? running(3, x.mean(axes)) : Tensor(),
            call.wants(2) ? running(4, x.var(axes, false)) : Tensor()};
}

Tensor instance_normalization(const OnnxCall& call) {
    return at::instance_norm(call.in(0), call.in(1), call.in(2), {}, {}, true, 0.0,
                             call.real("epsilon", 1e-5), false);
}

Tensor group_normalization(const OnnxCall& call) {
    const Tensor& x = call.in(0);
    const std::int64_t groups = call.integer("num_groups");
    if (x.dim() < 2 || groups < 1 || x.size(1) % groups != 0)
        throw NodeError(fmt::format("{} groups do not divide the channels of an input of {}",
                                    groups, fmt::join(x.sizes(), " x ")));
    // Opset 18 has one scale per group, opset 21 one per channel.
    const auto per_channel = [&](const Tensor& scale) {
        return scale.size(0) == x.size(1) ? scale : scale.repeat_interleave(x.size(1) / groups);
    };
    return at::group_norm(x, groups, per_channel(call.in(1)), per_channel(call.in(2)),
                          call.real("epsilon", 1e-5), false);
}

Tensor layer_normalization(const OnnxCall& call) {
    const Tensor& x = call.in(0);
    const std::int64_t axis = axis_in(call.integer("axis", -1), x.dim());
    const Ints shape(x.sizes().begin() + axis, x.sizes().end());
    const double epsilon = call.real("epsilon", 1e-5);
    const Tensor scale = call.in(1);
    const Tensor bias = call.in_or_none(2);
    if (scale.sizes() == c10::IntArrayRef(shape) &&
        (!bias.defined() || bias.sizes() == c10::IntArrayRef(shape)))
        return at::layer_norm(x, shape, scale, bias, epsilon, false);
    const Tensor normal = at::layer_norm(x, shape, {}, {}, epsilon, false).mul(scale);
    return bias.defined() ? normal.add(bias) : normal;
}

/// Local response normalization: x / (bias + alpha / size * sum of squares over `size` neighbouring
/// channels)^beta.
Tensor local_response(const OnnxCall& call) {
    const Tensor& x = call.in(0);
    const std::int64_t size = call.integer("size");
    if (x.dim() < 2 || size < 1 || size > 4096)
        throw NodeError(
            fmt::format("size = {} and an input with {} dimensions; size 1 to 4096 and at least 2 "
                        "dimensions are allowed",
                        size, x.dim()));
    const Tensor squares = x.mul(x);
    // The last dimension comes first, so the two numbers of the channels are at the end.
    Ints pads(static_cast<std::size_t>(2 * (x.dim() - 1)), 0);
    pads[pads.size() - 2] = (size - 1) / 2;
    pads[pads.size() - 1] = size - 1 - (size - 1) / 2;
    const Tensor wide = at::constant_pad_nd(squares, pads, 0);
    Tensor sum = wide.narrow(1, 0, x.size(1));
    for (std::int64_t k = 1; k < size; ++k) sum = sum.add(wide.narrow(1, k, x.size(1)));
    const double alpha = call.real("alpha", 1e-4) / static_cast<double>(size);
    return x.div(sum.mul(alpha).add(call.real("bias", 1.0)).pow(call.real("beta", 0.75)));
}

Tensor lp_normalization(const OnnxCall& call) {
    const std::int64_t p = call.integer("p", 2);
    if (p != 1 && p != 2) throw NodeError(fmt::format("p = {}; 1 and 2 are allowed", p));
    const Tensor& x = call.in(0);
    return x.div(x.norm(p, {axis_in(call.integer("axis", -1), x.dim())}, true));
}

/// By default, normalizes each channel over the whole batch, so that the scores of its images would
/// depend on each other.
Tensor mean_variance_normalization(const OnnxCall& call) {
    const Tensor& x = call.in(0);
    Ints axes = call.integers("axes", {0, 2, 3});
    if (axes.empty())
        throw NodeError(
            "attribute \"axes\" is empty; it must name an axis");  // ATen would use all axes
    for (std::int64_t& axis : axes) {
        axis = axis_in(axis, x.dim());
        if (axis == 0 && x.size(0) > 1 && !call.folding())
            throw NodeError(
                "it normalises over the images of a batch; export it with a batch of 1");
    }
    const Tensor centred = x.sub(x.mean(axes, true));
    return centred.div(centred.mul(centred).mean(axes, true).sqrt().add(1e-9));
}

Tensor einsum(const OnnxCall& call) {
    Tensors operands;
    for (std::size_t i = 0; i < call.count(); ++i) operands.push_back(call.in(i));
    return at::einsum(call.text("equation", ""), operands);
}

/// Returns its input in evaluation mode. In training mode, which an input sets, it only does so for
/// a ratio of 0.
Tensors dropout(const OnnxCall& call) {
    if (call.has(2) && call.in(2).item<bool>()) {
        const double ratio = call.has(1) ? call.in(1).item<double>() : 0.5;
        if (ratio != 0) {
            throw NodeError(fmt::format(
                "it drops {} of its input at random; export the model after eval()", ratio));
        }
    }
    return {call.in(0), call.wants(1) ? at::zeros_like(call.in(0)).eq(0) : Tensor()};
}

}  // namespace

std::span<const OnnxOperator> layer_operators() {
    static constexpr OnnxOperator table[] = {
        {"Conv", convolved},
        {"ConvTranspose", conv_transpose},
        {"Gemm", general_product},
        {"MatMul", [](const OnnxCall& c) { return c.in(0).matmul(c.in(1)); }},
        {"Einsum", einsum},
        {"BatchNormalization", nullptr, batch_normalization},
        {"InstanceNormalization", instance_normalization},
        {"GroupNormalization", group_normalization},
        {"LayerNormalization", layer_normalization},
        {"LpNormalization", lp_normalization},
        {"LRN", local_response},
        {"MeanVarianceNormalization", mean_variance_normalization},
        {"Dropout", nullptr, dropout},
    };
    return table;
}

}  // namespace assay::torch_plugin
