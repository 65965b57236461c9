// ONNX's integer arithmetic as in the standard: numbers are scaled, rounded (half to even) and
// clipped to the range of their type. Sums of products are exact.
#include <ATen/ops/cat.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/where.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/torch/onnx_graph.h"

namespace assay::torch_plugin {
namespace {

using at::Tensor;

struct Range {
    std::int64_t low, high;
};

/// The range of a quantized number of this type. Unsigned 16-bit numbers are stored in int32 here.
Range range_of(at::ScalarType type) {
    switch (type) {
        case at::kByte:
            return {0, 255};
        case at::kChar:
            return {-128, 127};
        case at::kShort:
            return {-32768, 32767};
        case at::kInt:
            return {0, 65535};
        default:
            throw NotSupported(
                fmt::format("quantising to {} is not supported", c10::toString(type)));
    }
}

/// A scale or zero point for `x`: one number, one per position along `axis`, or one per `block`
/// positions.
Tensor along(const Tensor& given, const Tensor& x, std::int64_t axis, std::int64_t block) {
    const Tensor values = beside(given, x);
    if (values.numel() == 1) return values.reshape({});
    axis = axis_in(axis, x.dim());
    if (values.dim() == 1 && block == 0) {
        if (values.size(0) != x.size(axis))
            throw NodeError(fmt::format("{} scales for {} places along axis {}", values.size(0),
                                        x.size(axis), axis));
        Ints shape(static_cast<std::size_t>(x.dim()), 1);
        shape[static_cast<std::size_t>(axis)] = values.size(0);
        return values.reshape(shape);
    }
    if (block < 1 || values.dim() != x.dim() ||
        values.size(axis) != (x.size(axis) + block - 1) / block)
        throw NodeError(fmt::format(
            "scales of {} do not fit a tensor of {} with blocks of {} along axis {}",
            fmt::join(values.sizes(), " x "), fmt::join(x.sizes(), " x "), block, axis));
    return values.repeat_interleave(block, axis).narrow(axis, 0, x.size(axis));
}

/// Converts numbers to units of their scale: rounded, shifted by the zero point, and clipped to the
/// type's range.
Tensor rounded_to(const Tensor& x, const Tensor& zero, at::ScalarType type) {
    const Range range = range_of(type);
    Tensor y = x.round();
    if (zero.defined()) y = y.add(zero);
    // NaN becomes 0, because its result would depend on the processor.
    return y.nan_to_num(0.0).clamp(range.low, range.high).to(type);
}

Tensor quantised(const Tensor& x, const Tensor& scale, const Tensor& zero, at::ScalarType type) {
    return rounded_to(x.div(scale), zero, type);
}

Tensor quantize_linear(const OnnxCall& call) {
    const Tensor x = call.in(0).to(at::kFloat);
    const std::int64_t axis = call.integer("axis", 1);
    const std::int64_t block = call.integer("block_size", 0);
    const std::int64_t named = call.integer("output_dtype", 0);
    at::ScalarType type = named != 0 ? quantised_type_of(named) : at::kByte;
    Tensor zero;
    if (call.has(2)) {
        zero = along(call.in(2), x, axis, block);
        type = call.in(2).scalar_type();
        if (named != 0 && quantised_type_of(named) != type)
            throw NodeError("output_dtype differs from the type of its zero point");
    }
    return quantised(x, along(call.in(1), x, axis, block).to(at::kFloat), zero, type);
}

Tensor dequantize_linear(const OnnxCall& call) {
    const Tensor& x = call.in(0);
    const std::int64_t axis = call.integer("axis", 1);
    const std::int64_t block = call.integer("block_size", 0);
    Tensor whole = x.to(at::kLong);
    if (call.has(2)) whole = whole.sub(along(call.in(2), x, axis, block));
    return whole.to(at::kFloat).mul(along(call.in(1), x, axis, block).to(at::kFloat));
}

/// The range is that of the whole tensor, including 0. There is no gradient, as for all operators
/// that round, because it would only reach the smallest and largest elements.
Tensors dynamic_quantize_linear(const OnnxCall& call) {
    const Tensor x = call.in(0).to(at::kFloat).detach();
    if (x.numel() == 0) throw NodeError("its input is empty, so it has no range");
    const Tensor low = x.min().clamp_max(0), high = x.max().clamp_min(0);
    const Tensor scale = high.sub(low).div(255);
    const Tensor zero = low.neg().div(scale).nan_to_num(0.0).clamp(0, 255).round().to(at::kByte);
    return {quantised(x, scale, zero, at::kByte), scale, zero};
}

/// The numbers minus the zero point, as doubles. Sums of 2^37 products of bytes are exact.
Tensor centred(const OnnxCall& call, std::size_t value, std::size_t zero, std::int64_t axis) {
    const Tensor whole = call.in(value).to(at::kLong);
    if (!call.has(zero)) return whole.to(at::kDouble);
    return whole.sub(along(call.in(zero), whole, axis, 0)).to(at::kDouble);
}

Tensor conv_of(const OnnxCall& call, const Tensor& x, const Tensor& weight) {
    if (x.dim() < 3 || x.dim() > 5 || weight.dim() != x.dim())
        throw NodeError(fmt::format(
            "input and weight have {} and {} dimensions; equally many, 3 to 5, are allowed",
            x.dim(), weight.dim()));
    const auto spatial = static_cast<std::size_t>(x.dim() - 2);
    const Ints strides = call.integers("strides", Ints(spatial, 1));
    const Ints dilations = call.integers("dilations", Ints(spatial, 1));
    if (strides.size() != spatial || dilations.size() != spatial)
        throw NodeError(fmt::format("strides and dilations have {} and {} numbers instead of {}",
                                    strides.size(), dilations.size(), spatial));
    Ints reach;
    for (std::size_t d = 0; d < spatial; ++d) {
        const std::int64_t kernel = weight.size(static_cast<std::int64_t>(d) + 2);
        if (strides[d] < 1 || dilations[d] < 1 || kernel < 1)
            throw NodeError("kernel, strides and dilations must be positive");
        reach.push_back((kernel - 1) * dilations[d] + 1);
    }
    return at::convolution(padded(x, padding_of(call, x, reach, strides), 0), weight, {}, strides,
                           Ints(spatial, 0), dilations, false, Ints(spatial, 0),
                           call.integer("group", 1));
}

/// The real values of quantized numbers, as doubles. Their scale is input `scale`, and their zero
/// point (0 if omitted) the next input.
Tensor meant(const OnnxCall& call, std::size_t value, std::size_t scale) {
    return centred(call, value, scale + 1, 1).mul(along(call.in(scale), call.in(value), 1, 0));
}

/// The inverse of meant(). `like` gives the type if there is no zero point.
Tensor written(const OnnxCall& call, const Tensor& x, std::size_t scale, const Tensor& like) {
    const Tensor zero = call.in_or_none(scale + 1);
    return quantised(x, call.in(scale).to(at::kDouble).reshape({}),
                     zero.defined() ? zero.reshape({}) : zero,
                     zero.defined() ? zero.scalar_type() : like.scalar_type());
}

/// Rescales sums of products by both operands' scales over the result's. Uses single precision, as
/// ONNX Runtime does, because one number that is rounded differently changes whole layers.
Tensor requantised(const OnnxCall& call, const Tensor& sums, const Tensor& factor,
                   std::size_t scale, std::size_t zero) {
    const Tensor over = factor.to(at::kFloat).div(call.in(scale).to(at::kFloat).reshape({}));
    return rounded_to(sums.to(at::kFloat).mul(over), call.in(zero).reshape({}),
                      call.in(zero).scalar_type());
}

/// Inputs: x, its scale and zero point, w, its scale and zero point, y's scale and zero point, bias
/// (int32, scale x * w).
Tensor qlinear_conv(const OnnxCall& call) {
    const Tensor x = centred(call, 0, 2, 1);
    const Tensor weight = centred(call, 3, 5, 0);
    Tensor sums = conv_of(call, x, weight);
    Ints channels(static_cast<std::size_t>(sums.dim()), 1);
    channels[1] = -1;
    if (call.has(8)) sums = sums.add(call.in(8).to(at::kDouble).reshape(channels));
    const Tensor scales = call.in(4).to(at::kDouble);
    const Tensor factor = scales.numel() == 1 ? scales.reshape({}) : scales.reshape(channels);
    return requantised(call, sums, factor.mul(call.in(1).to(at::kDouble).reshape({})), 6, 7);
}

Tensor qlinear_matmul(const OnnxCall& call) {
    const Tensor a = centred(call, 0, 2, -2);
    const Tensor b = centred(call, 3, 5, -1);
    const Tensor left = along(call.in(1), a, -2, 0).to(at::kDouble);
    const Tensor right = along(call.in(4), b, -1, 0).to(at::kDouble);
    return requantised(call, a.matmul(b), left.mul(right), 6, 7);
}

// The same for operators that ONNX Runtime quantizes in addition to the standard (com.microsoft).
// Sums and products of two tensors are rounded after adding the zero point, as defined.

/// Inputs: a, its scale and zero point, b, its scale and zero point, and those of the result.
template <class Combine>
Tensor qlinear_of_two(const OnnxCall& call, Combine&& combine) {
    const Tensor y =
        combine(meant(call, 0, 1), meant(call, 3, 4)).div(call.in(6).to(at::kDouble).reshape({}));
    const at::ScalarType type = call.in(0).scalar_type();
    const Range range = range_of(type);
    return (call.has(7) ? y.add(call.in(7).reshape({})) : y)
        .round()
        .clamp(range.low, range.high)
        .to(type);
}

/// Inputs: x, its scale and zero point, the result's scale and zero point. Runs on the real values.
template <class Function>
Tensor qlinear_of(const OnnxCall& call, Function&& function) {
    return written(call, function(meant(call, 0, 1)), 3, call.in(0));
}

/// Runs the operator on batch x channels x ...; if channels_last is set, the input has its channels
/// last.
template <class Function>
Tensor channels_first(const OnnxCall& call, const Tensor& x, Function&& function) {
    if (call.integer("channels_last", 0) == 0) return function(x);
    if (x.dim() < 3)
        throw NodeError(fmt::format(
            "channels_last needs at least three dimensions, but its input has {}", x.dim()));
    return function(x.movedim(-1, 1)).movedim(1, -1);
}

Tensor qlinear_pool(const OnnxCall& call, const char* op) {
    return qlinear_of(call, [&](const Tensor& numbers) {
        return channels_first(call, numbers, [&](const Tensor& x) {
            const Tensor inputs[] = {x.contiguous()};
            return call.as(op, inputs);
        });
    });
}

/// The largest code means the largest number. The channels are last.
Tensor nhwc_max_pool(const OnnxCall& call) {
    if (call.in(0).dim() < 3)
        throw NodeError(
            fmt::format("its input needs at least three dimensions, but has {}", call.in(0).dim()));
    const Tensor inputs[] = {call.in(0).movedim(-1, 1).contiguous()};
    return call.as("MaxPool", inputs).movedim(1, -1);
}

/// Runs the float operator `op` on the real values.
Tensor qlinear_through(const OnnxCall& call, const char* op) {
    return qlinear_of(call, [&](const Tensor& x) {
        const Tensor inputs[] = {x};
        return call.as(op, inputs);
    });
}

/// An attribute gives the opset that defines the axis.
Tensor qlinear_softmax(const OnnxCall& call) {
    return qlinear_of(call, [&](const Tensor& x) {
        const std::int64_t axis = axis_in(call.integer("axis", -1), x.dim());
        if (call.integer("opset") >= 13) return at::softmax(x, axis);
        return at::softmax(x.flatten(axis), -1).reshape(x.sizes());
    });
}

/// Inputs: condition, a, its scale and zero point, b, its scale and zero point, the result's two.
Tensor qlinear_where(const OnnxCall& call) {
    return written(call, at::where(call.in(0), meant(call, 1, 2), meant(call, 4, 5)), 7,
                   call.in(1));
}

/// Inputs: the result's scale and zero point, then number, scale and zero point of each part.
Tensor qlinear_concat(const OnnxCall& call) {
    if (call.count() < 5 || call.count() % 3 != 2)
        throw NodeError(fmt::format(
            "it has {} inputs; needed are scale and zero point, and three for each part",
            call.count()));
    Tensors parts;
    for (std::size_t i = 2; i < call.count(); i += 3) parts.push_back(meant(call, i, i + 1));
    return written(call, at::cat(parts, axis_in(call.integer("axis"), parts[0].dim())), 0,
                   call.in(2));
}

/// Inputs: a, its scale and zero point, b, its scale and zero point, c (int32 with scale a * b),
/// the result's scale and zero point. Without the result's scale, it has real values.
Tensor qgemm(const OnnxCall& call) {
    const auto side = [&](std::size_t i, const char* transposed, std::int64_t scales_along) {
        const Tensor whole = call.in(i).to(at::kLong);
        if (whole.dim() != 2)
            throw NodeError(
                fmt::format("input {} must have 2 dimensions, but has {}", i, whole.dim()));
        const bool turned = call.integer(transposed, 0) != 0;
        const Tensor x = turned ? whole.t() : whole;
        return call.has(i + 2) ? x.sub(along(call.in(i + 2), x, scales_along, 0)).to(at::kDouble)
                               : x.to(at::kDouble);
    };
    const Tensor product = side(0, "transA", 0).matmul(side(3, "transB", 1));
    const Tensor sums = call.has(6) ? product.add(call.in(6).to(at::kDouble)) : product;
    const Tensor factor = along(call.in(4), sums, 1, 0)
                              .to(at::kDouble)
                              .mul(call.in(1).to(at::kDouble).reshape({}))
                              .mul(call.real("alpha", 1.0));
    return call.has(7) ? requantised(call, sums, factor, 7, 8) : sums.mul(factor).to(at::kFloat);
}

/// Inputs: a, b, their scales, their zero points, and a float bias.
Tensor matmul_integer_to_float(const OnnxCall& call) {
    const Tensor product = centred(call, 0, 4, -2).matmul(centred(call, 1, 5, -1));
    const Tensor y = product.mul(along(call.in(2), product, -2, 0).to(at::kDouble))
                         .mul(along(call.in(3), product, -1, 0).to(at::kDouble))
                         .to(at::kFloat);
    return call.has(6) ? y.add(call.in(6)) : y;
}

/// Multiplies floats, which are quantized by their range, by b. Further inputs: the scale and zero
/// point of b, and a float bias.
Tensor dynamic_quantize_matmul(const OnnxCall& call) {
    const Tensors a = dynamic_quantize_linear(call);
    const Tensor left = a[0].to(at::kLong).sub(a[2]).to(at::kDouble);
    const Tensor product = left.matmul(centred(call, 1, 3, -1));
    const Tensor y = product.mul(a[1].to(at::kDouble))
                         .mul(along(call.in(2), product, -1, 0).to(at::kDouble))
                         .to(at::kFloat);
    return call.has(4) ? y.add(call.in(4)) : y;
}

/// Like ONNX's operator, with the channels first or last.
Tensor microsoft_qlinear_conv(const OnnxCall& call) {
    return channels_first(call, call.in(0), [&](const Tensor& x) {
        Tensors inputs = {x};
        for (std::size_t i = 1; i < call.count(); ++i) inputs.push_back(call.in_or_none(i));
        return call.as("QLinearConv", inputs);
    });
}

Tensor matmul_integer(const OnnxCall& call) {
    return centred(call, 0, 2, -2).matmul(centred(call, 1, 3, -1)).to(at::kInt);
}

Tensor conv_integer(const OnnxCall& call) {
    return conv_of(call, centred(call, 0, 2, 1), centred(call, 1, 3, 0)).to(at::kInt);
}

}  // namespace

std::span<const OnnxOperator> quantised_operators() {
    static constexpr OnnxOperator table[] = {
        {"QuantizeLinear", quantize_linear},
        {"DequantizeLinear", dequantize_linear},
        {"com.microsoft::QuantizeLinear", quantize_linear},
        {"com.microsoft::DequantizeLinear", dequantize_linear},
        {"DynamicQuantizeLinear", nullptr, dynamic_quantize_linear},
        {"QLinearConv", qlinear_conv},
        {"QLinearMatMul", qlinear_matmul},
        {"MatMulInteger", matmul_integer},
        {"ConvInteger", conv_integer},
        {"com.microsoft::QLinearConv", microsoft_qlinear_conv},
        {"com.microsoft::QLinearAdd",
         [](const OnnxCall& c) {
             return qlinear_of_two(c, [](const Tensor& a, const Tensor& b) { return a.add(b); });
         }},
        {"com.microsoft::QLinearMul",
         [](const OnnxCall& c) {
             return qlinear_of_two(c, [](const Tensor& a, const Tensor& b) { return a.mul(b); });
         }},
        {"com.microsoft::QLinearAveragePool",
         [](const OnnxCall& c) { return qlinear_pool(c, "AveragePool"); }},
        {"com.microsoft::QLinearGlobalAveragePool",
         [](const OnnxCall& c) { return qlinear_pool(c, "GlobalAveragePool"); }},
        {"com.microsoft::QLinearSigmoid",
         [](const OnnxCall& c) { return qlinear_through(c, "Sigmoid"); }},
        {"com.microsoft::QLinearLeakyRelu",
         [](const OnnxCall& c) { return qlinear_through(c, "LeakyRelu"); }},
        {"com.microsoft::QLinearSoftmax", qlinear_softmax},
        {"com.microsoft::QLinearConcat", qlinear_concat},
        {"com.microsoft::QLinearWhere", qlinear_where},
        {"com.microsoft::NhwcMaxPool", nhwc_max_pool},
        {"com.microsoft::QGemm", qgemm},
        {"com.microsoft::MatMulIntegerToFloat", matmul_integer_to_float},
        {"com.microsoft::DynamicQuantizeMatMul", dynamic_quantize_matmul},
    };
    return table;
}

}  // namespace assay::torch_plugin
