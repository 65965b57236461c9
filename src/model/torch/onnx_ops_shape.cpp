// ONNX operators that move, repeat or create numbers without arithmetic.
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/tensor.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/torch/onnx_graph.h"

namespace assay::torch_plugin {
namespace {

using at::Tensor;

Tensor reshape(const OnnxCall& call) {
    const Tensor& x = call.in(0);
    Ints sizes = call.ints_of("shape", 1).value_or(Ints());
    const bool zero_is_zero = call.integer("allowzero", 0) != 0;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        if (sizes[d] != 0 || zero_is_zero) continue;
        if (d >= static_cast<std::size_t>(x.dim()))
            throw NodeError("a size of 0 copies a dimension that the input does not have");
        sizes[d] = x.size(static_cast<std::int64_t>(d));
    }
    return x.reshape(sizes);
}

Tensor flatten(const OnnxCall& call) {
    const Tensor& x = call.in(0);
    std::int64_t axis = call.integer("axis", 1);
    if (axis != x.dim()) axis = axis_in(axis, x.dim());
    std::int64_t outer = 1;
    for (std::int64_t d = 0; d < axis; ++d) outer *= x.size(d);
    std::int64_t inner = 1;
    for (std::int64_t d = axis; d < x.dim(); ++d) inner *= x.size(d);
    return x.reshape({outer, inner});
}

Tensor squeeze(const OnnxCall& call) {
    const Tensor& x = call.in(0);
    auto axes = call.ints_of("axes", 1);
    if (!axes) return x.squeeze();
    for (std::int64_t& axis : *axes) axis = axis_in(axis, x.dim());
    std::ranges::sort(*axes, std::greater<>());
    Tensor out = x;
    for (const std::int64_t axis : *axes) {
        if (out.size(axis) != 1)
            throw NodeError(fmt::format("axis {} has size {}, not 1", axis, out.size(axis)));
        out = out.squeeze(axis);
    }
    return out;
}

Tensor unsqueeze(const OnnxCall& call) {
    Tensor out = call.in(0);
    Ints axes = call.ints_of("axes", 1).value_or(Ints());
    const std::int64_t rank = out.dim() + static_cast<std::int64_t>(axes.size());
    for (std::int64_t& axis : axes) axis = axis_in(axis, rank);
    std::ranges::sort(axes);
    for (const std::int64_t axis : axes) out = out.unsqueeze(axis);
    return out;
}

Tensor transpose(const OnnxCall& call) {
    const Tensor& x = call.in(0);
    Ints order(static_cast<std::size_t>(x.dim()));
    std::iota(order.rbegin(), order.rend(), 0);
    return x.permute(call.integers("perm", order));
}

/// Both shapes broadcast, so a requested size of 1 keeps the input's size.
Tensor expand(const OnnxCall& call) {
    const Tensor& x = call.in(0);
    Ints sizes = call.ints_in(1);
    if (static_cast<std::int64_t>(sizes.size()) < x.dim())
        sizes.insert(sizes.begin(), x.dim() - static_cast<std::int64_t>(sizes.size()), 1);
    for (std::int64_t d = 1; d <= x.dim(); ++d) {
        std::int64_t& size = sizes[sizes.size() - static_cast<std::size_t>(d)];
        if (size == 1) size = x.size(-d);
    }
    check_numbers(sizes);
    return x.expand(sizes);
}

Tensor tile(const OnnxCall& call) {
    const Tensor& x = call.in(0);
    const Ints repeats = call.ints_in(1);
    if (static_cast<std::int64_t>(repeats.size()) != x.dim())
        throw NodeError(
            fmt::format("it has {} repeats for {} dimensions", repeats.size(), x.dim()));
    Ints sizes = x.sizes().vec();
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        if (repeats[d] < 0 || repeats[d] > (1 << 30))
            throw NodeError("repeats must be between 0 and 2^30");
        sizes[d] *= repeats[d];
    }
    check_numbers(sizes);
    return x.repeat(repeats);
}

Tensor shape(const OnnxCall& call) {
    const Tensor& x = call.in(0);
    const auto clamped = [&](std::int64_t at) {
        return std::clamp<std::int64_t>(at < 0 ? at + x.dim() : at, 0, x.dim());
    };
    const std::int64_t begin = clamped(call.integer("start", 0));
    const std::int64_t end = std::max(begin, clamped(call.integer("end", x.dim())));
    return from_ints(Ints(x.sizes().begin() + begin, x.sizes().begin() + end));
}

Tensor constant(const OnnxCall& call) {
    if (Tensor value = call.tensor("value"); value.defined()) return value;
    if (call.has_attribute("value_float"))
        return at::scalar_tensor(call.real("value_float", 0), at::kFloat);
    if (call.has_attribute("value_int"))
        return at::scalar_tensor(call.integer("value_int"), at::kLong);
    if (call.has_attribute("value_ints")) return from_ints(call.integers("value_ints"));
    if (call.has_attribute("value_floats")) {
        const std::vector<double> values = call.reals("value_floats");
        Tensor out = at::empty({static_cast<std::int64_t>(values.size())}, at::kDouble);
        std::ranges::copy(values, out.data_ptr<double>());
        return out.to(at::kFloat);
    }
    throw NotSupported(
        "it holds neither numbers nor a tensor (texts and sparse tensors are not supported)");
}

Tensor constant_of_shape(const OnnxCall& call) {
    const Ints sizes = call.ints_in(0);
    check_numbers(sizes);
    const Tensor value = call.tensor("value");
    if (!value.defined()) return at::full(sizes, 0, at::kFloat);
    if (value.numel() != 1)
        throw NodeError(fmt::format("its value must be one number, but has {}", value.numel()));
    return at::full(sizes, value.item(), value.scalar_type());
}

Tensor range(const OnnxCall& call) {
    for (std::size_t i = 0; i < 3; ++i) {
        if (call.in(i).numel() != 1)
            throw NodeError("start, limit and delta must be one number each");
    }
    const double delta = call.in(2).item<double>();
    const double steps = std::ceil((call.in(1).item<double>() - call.in(0).item<double>()) / delta);
    if (!(steps < 1e9)) throw NodeError("its range is endless or has more than 10^9 numbers");
    return at::arange(call.in(0).item(), call.in(1).item(), call.in(2).item(),
                      call.in(0).options());
}

Tensor concat(const OnnxCall& call) {
    Tensors parts;
    const Tensor* on_device = &call.in(0);
    for (std::size_t i = 0; i < call.count(); ++i) {
        if (!call.in(i).is_cpu()) on_device = &call.in(i);
    }
    for (std::size_t i = 0; i < call.count(); ++i) parts.push_back(beside(call.in(i), *on_device));
    const std::int64_t axis = call.opset() < 4 ? call.integer("axis", 1) : call.integer("axis");
    return at::cat(parts, axis_in(axis, call.in(0).dim()));
}

Tensors split(const OnnxCall& call) {
    const Tensor& x = call.in(0);
    const std::int64_t axis = axis_in(call.integer("axis", 0), x.dim());
    const std::int64_t size = x.size(axis);
    Ints sizes = call.ints_of("split", 1).value_or(Ints());
    if (sizes.empty()) {
        const std::int64_t parts =
            call.integer("num_outputs", static_cast<std::int64_t>(call.outputs()));
        if (parts < 1 || parts > (1 << 16))
            throw NodeError(fmt::format("it splits into {} parts; 1 to 65536 are allowed", parts));
        const std::int64_t each =
            (size + parts - 1) / parts;  // the last part may be smaller (opset 18)
        for (std::int64_t left = size, i = 0; i < parts; ++i, left -= sizes.back())
            sizes.push_back(std::min(each, std::max<std::int64_t>(left, 0)));
    }
    return x.split_with_sizes(sizes, axis);
}

/// torch's modes by ONNX's names. The pads are [begin of each axis, end of each axis].
Tensor pad(const OnnxCall& call) {
    const Tensor& x = call.in(0);
    const std::string mode = call.text("mode", "constant");
    const Ints given = call.ints_of("pads", 1).value_or(Ints());
    Ints axes;
    for (std::int64_t d = 0; d < x.dim(); ++d) axes.push_back(d);
    if (call.has(3)) axes = call.ints_in(3);
    if (given.size() != 2 * axes.size())
        throw NodeError(fmt::format("it has {} pads for {} axes; two for each axis are needed",
                                    given.size(), axes.size()));
    const auto rank = static_cast<std::size_t>(x.dim());
    Padding padding = {Ints(rank, 0), Ints(rank, 0)};
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const auto d = static_cast<std::size_t>(axis_in(axes[i], x.dim()));
        padding.before[d] = given[i];
        padding.after[d] = given[axes.size() + i];
    }
    if (mode == "constant") {
        double value = call.real("value", 0.0);
        if (call.has(2) && call.in(2).numel() == 1) value = call.in(2).item<double>();
        return padded(x, padding, value);
    }
    if (mode != "reflect" && mode != "edge")
        throw NotSupported(fmt::format("mode \"{}\" is not supported", mode));
    // Processes one axis after the other by index, for any rank and any axes.
    Tensor out = x;
    for (std::int64_t d = 0; d < x.dim(); ++d) {
        const std::int64_t before = padding.before[static_cast<std::size_t>(d)];
        const std::int64_t after = padding.after[static_cast<std::size_t>(d)];
        const std::int64_t size = x.size(d);
        if (before == 0 && after == 0) continue;
        const std::int64_t most = mode == "edge" ? (1 << 24) : size - 1;
        if (size < 1 || before < -size || after < -size || before > most || after > most)
            throw NodeError(
                fmt::format("{} padding of {} and {} pixels is out of range for {} pixels", mode,
                            before, after, size));
        Ints positions;
        for (std::int64_t i = -before; i < size + after; ++i) {
            std::int64_t from = i;
            if (mode == "reflect")
                from = from < 0 ? -from : from >= size ? 2 * (size - 1) - from : from;
            positions.push_back(std::clamp<std::int64_t>(from, 0, size - 1));
        }
        out = out.index_select(d, beside(from_ints(positions), x));
    }
    return out;
}

/// Blocks of channels become blocks of pixels. DCR means depth, column, row, and CRD the order of
/// PixelShuffle.
Tensor depth_to_space(const OnnxCall& call) {
    const Tensor& x = call.in(0);
    const std::int64_t b = call.integer("blocksize");
    if (x.dim() != 4 || b < 1 || b > 4096 || x.size(1) % (b * b) != 0)
        throw NodeError(fmt::format("blocksize = {} does not divide the channels of an input of {}",
                                    b, fmt::join(x.sizes(), " x ")));
    const std::int64_t n = x.size(0), c = x.size(1) / (b * b), h = x.size(2), w = x.size(3);
    const Tensor y = call.text("mode", "DCR") == "CRD"
                         ? x.reshape({n, c, b, b, h, w}).permute({0, 1, 4, 2, 5, 3})
                         : x.reshape({n, b, b, c, h, w}).permute({0, 3, 4, 1, 5, 2});
    return y.reshape({n, c, h * b, w * b});
}

Tensor space_to_depth(const OnnxCall& call) {
    const Tensor& x = call.in(0);
    const std::int64_t b = call.integer("blocksize");
    if (x.dim() != 4 || b < 1 || x.size(2) % b != 0 || x.size(3) % b != 0)
        throw NodeError(
            fmt::format("blocksize = {} does not divide height and width of an input of {}", b,
                        fmt::join(x.sizes(), " x ")));
    const std::int64_t n = x.size(0), c = x.size(1), h = x.size(2) / b, w = x.size(3) / b;
    return x.reshape({n, c, h, b, w, b}).permute({0, 3, 5, 1, 2, 4}).reshape({n, c * b * b, h, w});
}

/// Gives each named axis a requested size by cropping or padding with zeros. An odd pixel is
/// cropped or added at the end.
Tensor center_crop_pad(const OnnxCall& call) {
    const Tensor& x = call.in(0);
    const Ints sizes = call.ints_in(1);
    Ints axes = call.integers("axes");
    if (axes.empty()) {
        axes.resize(static_cast<std::size_t>(x.dim()));
        std::iota(axes.begin(), axes.end(), 0);
    }
    if (sizes.size() != axes.size())
        throw NodeError(fmt::format("it has {} sizes for {} axes", sizes.size(), axes.size()));
    Tensor out = x;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::int64_t axis = axis_in(axes[i], x.dim());
        const std::int64_t there = out.size(axis), wanted = sizes[i];
        if (wanted < 0)
            throw NodeError(fmt::format("axis {} cannot be cut to {} numbers", axis, wanted));
        if (wanted <= there) {
            out = out.narrow(axis, (there - wanted) / 2, wanted);
            continue;
        }
        Ints result = out.sizes().vec();
        result[static_cast<std::size_t>(axis)] = wanted;
        check_numbers(result);
        Ints last_first(static_cast<std::size_t>(2 * (x.dim() - axis)), 0);  // ATen's order
        const std::int64_t before = (wanted - there) / 2;
        *(last_first.end() - 2) = before;
        last_first.back() = wanted - there - before;
        out = at::constant_pad_nd(out, last_first, 0);
    }
    return out;
}

/// Makes ones on a diagonal, in the shape of the input.
Tensor eye_like(const OnnxCall& call) {
    const Tensor& x = call.in(0);
    if (x.dim() != 2)
        throw NodeError(fmt::format("its input must have 2 dimensions, but has {}", x.dim()));
    const at::ScalarType type =
        call.has_attribute("dtype") ? scalar_type_of(call.integer("dtype")) : x.scalar_type();
    const std::int64_t k = call.integer("k", 0);
    check_numbers({x.size(0)});  // in a matrix without numbers, a side may have any length
    check_numbers({x.size(1)});
    const Tensor rows = at::arange(x.size(0), at::kLong).unsqueeze(1);
    return at::arange(x.size(1), at::kLong).sub(rows).eq(k).to(type);
}

Tensor trilu(const OnnxCall& call) {
    std::int64_t diagonal = 0;
    if (call.has(1)) diagonal = call.in(1).item<std::int64_t>();
    return call.integer("upper", 1) != 0 ? call.in(0).triu(diagonal) : call.in(0).tril(diagonal);
}

}  // namespace

std::span<const OnnxOperator> shape_operators() {
    static constexpr OnnxOperator table[] = {
        {"Reshape", reshape},
        {"Flatten", flatten},
        {"Squeeze", squeeze},
        {"Unsqueeze", unsqueeze},
        {"Transpose", transpose},
        {"Expand", expand},
        {"Tile", tile},
        {"Shape", shape},
        {"Size", [](const OnnxCall& c) { return at::scalar_tensor(c.in(0).numel(), at::kLong); }},
        {"Constant", constant},
        {"ConstantOfShape", constant_of_shape},
        {"Range", range},
        {"Concat", concat},
        {"Split", nullptr, split},
        {"Pad", pad},
        {"DepthToSpace", depth_to_space},
        {"SpaceToDepth", space_to_depth},
        {"CenterCropPad", center_crop_pad},
        {"EyeLike", eye_like},
        {"Trilu", trilu},
    };
    return table;
}

}  // namespace assay::torch_plugin
