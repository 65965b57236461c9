// Element-wise ONNX operators, with broadcasting.
#include <ATen/ops/where.h>
#include <fmt/format.h>

#include "model/torch/onnx_graph.h"

namespace assay::torch_plugin {
namespace {

using at::Tensor;

template <class Function>
Tensor binary(const OnnxCall& call, Function&& function) {
    const Tensor& a = call.in(0);
    Tensor b = call.in(1);
    // Before opset 7, `axis` gave the second operand's position, counted from the start.
    if (call.opset() < 7 && call.integer("broadcast", 0) != 0 && call.has_attribute("axis")) {
        std::int64_t axis = call.integer("axis", 0);
        if (axis < 0) axis += a.dim();
        if (axis < 0 || axis + b.dim() > a.dim())
            throw NodeError(fmt::format(
                "axis {}: the second operand has {} dimensions, too many for the first one's {}",
                axis, b.dim(), a.dim()));
        Ints shape = b.sizes().vec();
        shape.insert(shape.end(), static_cast<std::size_t>(a.dim() - b.dim() - axis), 1);
        b = b.reshape(shape);
    }
    if (a.device() == b.device()) return function(a, b);
    // A shape computed on the CPU may meet images on the device.
    return a.is_cpu() ? function(beside(a, b), b) : function(a, beside(b, a));
}

Tensor divide(const OnnxCall& call) {
    return binary(call, [](const Tensor& a, const Tensor& b) {
        if (a.is_floating_point() || b.is_floating_point()) return a.div(b);
        if (b.eq(0).any().item<bool>()) throw NodeError("it divides whole numbers by zero");
        return a.div(b, "trunc");
    });
}

/// The result has the base's type, as ONNX says.
Tensor power(const OnnxCall& call) {
    return binary(call,
                  [](const Tensor& a, const Tensor& b) { return a.pow(b).to(a.scalar_type()); });
}

/// With fmod = 1 C's remainder (sign of the dividend), else Python's (sign of the divisor).
Tensor modulo(const OnnxCall& call) {
    const bool c_like = call.integer("fmod", 0) != 0;
    return binary(call, [&](const Tensor& a, const Tensor& b) {
        if (!b.is_floating_point() && b.eq(0).any().item<bool>())
            throw NodeError("it divides whole numbers by zero");
        return c_like ? a.fmod(b) : a.remainder(b);
    });
}

template <class Function>
Tensor folded_over_inputs(const OnnxCall& call, Function&& function) {
    Tensor out = call.in(0);
    for (std::size_t i = 1; i < call.count(); ++i) out = function(out, beside(call.in(i), out));
    return out;
}

/// Bounds are attributes before opset 11, and inputs since opset 11.
Tensor clip(const OnnxCall& call) {
    const auto given = [&](const char* attribute, std::size_t i) {
        return call.has_attribute(attribute) || call.has(i);
    };
    const auto bound = [&](const char* attribute, std::size_t i) -> at::Scalar {
        if (call.has_attribute(attribute)) return call.real(attribute, 0);
        if (call.in(i).numel() != 1)
            throw NodeError(fmt::format("its bound \"{}\" must be one number, but has {}",
                                        attribute, call.in(i).numel()));
        return call.in(i).item();
    };
    const Tensor& x = call.in(0);
    const bool low = given("min", 1);
    const bool high = given("max", 2);
    if (low && high) return x.clamp(bound("min", 1), bound("max", 2));
    return low ? x.clamp_min(bound("min", 1)) : high ? x.clamp_max(bound("max", 2)) : x;
}

Tensor where(const OnnxCall& call) {
    const Tensor& condition = call.in(0);
    const Tensor& a = call.in(1);
    const Tensor& b = call.in(2);
    const Tensor& data = a.is_cpu() ? (b.is_cpu() ? condition : b) : a;
    return at::where(beside(condition, data).to(at::kBool), beside(a, data), beside(b, data));
}

Tensor cast(const OnnxCall& call) {
    if (call.opset() < 6) {
        const std::string name = call.text("to", "");
        for (const auto& [known, type] :
             {std::pair{"FLOAT", at::kFloat}, std::pair{"FLOAT16", at::kFloat},
              std::pair{"DOUBLE", at::kDouble}, std::pair{"INT32", at::kInt},
              std::pair{"INT64", at::kLong}, std::pair{"UINT8", at::kByte},
              std::pair{"BOOL", at::kBool}}) {
            if (name == known) return call.in(0).to(type);
        }
        throw NotSupported(fmt::format("a cast to \"{}\" is not supported", name));
    }
    return call.in(0).to(scalar_type_of(call.integer("to")));
}

Tensor is_inf(const OnnxCall& call) {
    const Tensor infinite = call.in(0).isinf();
    const bool positive = call.integer("detect_positive", 1) != 0;
    const bool negative = call.integer("detect_negative", 1) != 0;
    if (positive && negative) return infinite;
    const Tensor& x = call.in(0);
    return infinite.logical_and(positive ? x.gt(0) : negative ? x.lt(0) : x.ne(x));
}

template <class Function>
Tensor bitwise(const OnnxCall& call, Function&& function) {
    if (call.in(0).is_floating_point()) throw NodeError("bit operations need whole numbers");
    return binary(call, function);
}

Tensor bit_shift(const OnnxCall& call) {
    const std::string direction = call.text("direction", "");
    if (direction != "LEFT" && direction != "RIGHT")
        throw NodeError(
            fmt::format("direction \"{}\" is unknown; LEFT and RIGHT are allowed", direction));
    return bitwise(call, [&](const Tensor& a, const Tensor& b) {
        return direction == "LEFT" ? a.bitwise_left_shift(b) : a.bitwise_right_shift(b);
    });
}

}  // namespace

std::span<const OnnxOperator> elementwise_operators() {
    static constexpr OnnxOperator table[] = {
        {"Add",
         [](const OnnxCall& c) {
             return binary(c, [](const Tensor& a, const Tensor& b) { return a.add(b); });
         }},
        {"Sub",
         [](const OnnxCall& c) {
             return binary(c, [](const Tensor& a, const Tensor& b) { return a.sub(b); });
         }},
        {"Mul",
         [](const OnnxCall& c) {
             return binary(c, [](const Tensor& a, const Tensor& b) { return a.mul(b); });
         }},
        {"Div", divide},
        {"Pow", power},
        {"Mod", modulo},
        {"Sqrt", [](const OnnxCall& c) { return c.in(0).sqrt(); }},
        {"Exp", [](const OnnxCall& c) { return c.in(0).exp(); }},
        {"Log", [](const OnnxCall& c) { return c.in(0).log(); }},
        {"Abs", [](const OnnxCall& c) { return c.in(0).abs(); }},
        {"Neg", [](const OnnxCall& c) { return c.in(0).neg(); }},
        {"Sign", [](const OnnxCall& c) { return c.in(0).sign(); }},
        {"Reciprocal", [](const OnnxCall& c) { return c.in(0).reciprocal(); }},
        {"Floor", [](const OnnxCall& c) { return c.in(0).floor(); }},
        {"Ceil", [](const OnnxCall& c) { return c.in(0).ceil(); }},
        {"Round",
         [](const OnnxCall& c) { return c.in(0).round(); }},  // rounds half to even, like ONNX
        {"Sin", [](const OnnxCall& c) { return c.in(0).sin(); }},
        {"Cos", [](const OnnxCall& c) { return c.in(0).cos(); }},
        {"Atan", [](const OnnxCall& c) { return c.in(0).atan(); }},
        {"Tan", [](const OnnxCall& c) { return c.in(0).tan(); }},
        {"Asin", [](const OnnxCall& c) { return c.in(0).asin(); }},
        {"Acos", [](const OnnxCall& c) { return c.in(0).acos(); }},
        {"Sinh", [](const OnnxCall& c) { return c.in(0).sinh(); }},
        {"Cosh", [](const OnnxCall& c) { return c.in(0).cosh(); }},
        {"Asinh", [](const OnnxCall& c) { return c.in(0).asinh(); }},
        {"Acosh", [](const OnnxCall& c) { return c.in(0).acosh(); }},
        {"Atanh", [](const OnnxCall& c) { return c.in(0).atanh(); }},
        {"Erf", [](const OnnxCall& c) { return c.in(0).erf(); }},
        {"Not", [](const OnnxCall& c) { return c.in(0).logical_not(); }},
        {"IsNaN", [](const OnnxCall& c) { return c.in(0).isnan(); }},
        {"IsInf", is_inf},
        {"And",
         [](const OnnxCall& c) {
             return binary(c, [](const Tensor& a, const Tensor& b) { return a.logical_and(b); });
         }},
        {"Or",
         [](const OnnxCall& c) {
             return binary(c, [](const Tensor& a, const Tensor& b) { return a.logical_or(b); });
         }},
        {"Xor",
         [](const OnnxCall& c) {
             return binary(c, [](const Tensor& a, const Tensor& b) { return a.logical_xor(b); });
         }},
        {"BitwiseAnd",
         [](const OnnxCall& c) {
             return bitwise(c, [](const Tensor& a, const Tensor& b) { return a.bitwise_and(b); });
         }},
        {"BitwiseOr",
         [](const OnnxCall& c) {
             return bitwise(c, [](const Tensor& a, const Tensor& b) { return a.bitwise_or(b); });
         }},
        {"BitwiseXor",
         [](const OnnxCall& c) {
             return bitwise(c, [](const Tensor& a, const Tensor& b) { return a.bitwise_xor(b); });
         }},
        {"BitwiseNot", [](const OnnxCall& c) { return c.in(0).bitwise_not(); }},
        {"BitShift", bit_shift},
        {"Equal",
         [](const OnnxCall& c) {
             return binary(c, [](const Tensor& a, const Tensor& b) { return a.eq(b); });
         }},
        {"Less",
         [](const OnnxCall& c) {
             return binary(c, [](const Tensor& a, const Tensor& b) { return a.lt(b); });
         }},
        {"LessOrEqual",
         [](const OnnxCall& c) {
             return binary(c, [](const Tensor& a, const Tensor& b) { return a.le(b); });
         }},
        {"Greater",
         [](const OnnxCall& c) {
             return binary(c, [](const Tensor& a, const Tensor& b) { return a.gt(b); });
         }},
        {"GreaterOrEqual",
         [](const OnnxCall& c) {
             return binary(c, [](const Tensor& a, const Tensor& b) { return a.ge(b); });
         }},
        {"Min",
         [](const OnnxCall& c) {
             return folded_over_inputs(
                 c, [](const Tensor& a, const Tensor& b) { return a.minimum(b); });
         }},
        {"Max",
         [](const OnnxCall& c) {
             return folded_over_inputs(
                 c, [](const Tensor& a, const Tensor& b) { return a.maximum(b); });
         }},
        {"Sum",
         [](const OnnxCall& c) {
             return folded_over_inputs(c,
                                       [](const Tensor& a, const Tensor& b) { return a.add(b); });
         }},
        {"Mean",
         [](const OnnxCall& c) {
             return folded_over_inputs(c, [](const Tensor& a, const Tensor& b) { return a.add(b); })
                 .div(static_cast<double>(c.count()));
         }},
        {"Clip", clip},
        {"Where", where},
        {"Cast", cast},
        {"CastLike", [](const OnnxCall& c) { return c.in(0).to(c.in(1).scalar_type()); }},
        {"Identity", [](const OnnxCall& c) { return c.in(0); }},
    };
    return table;
}

}  // namespace assay::torch_plugin
