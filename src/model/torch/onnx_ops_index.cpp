// ONNX operators that select numbers by position.
#include <ATen/TensorIndexing.h>
#include <ATen/ops/full.h>
#include <fmt/format.h>

#include <algorithm>

#include "model/torch/onnx_graph.h"

namespace assay::torch_plugin {
namespace {

using at::Tensor;

/// Positions of any integer type as int64 on the data's device. Negative ones count from the end.
Tensor positions(const Tensor& given, const Tensor& data, std::int64_t size) {
    if (given.is_floating_point()) throw NodeError("positions must be whole numbers");
    const Tensor index = beside(given, data).to(at::kLong);
    return index.add(index.lt(0).to(at::kLong).mul(size));
}

/// begin, end and step are as in Python's slices. An end far beyond the size means the size.
Tensor cut(const Tensor& x, std::int64_t axis, std::int64_t begin, std::int64_t end,
           std::int64_t step) {
    const std::int64_t size = x.size(axis);
    if (step == 0) throw NodeError("the step of a slice must not be 0");
    const bool forward = step > 0;
    const auto clamped = [&](std::int64_t at) {
        if (at < 0) at = at < -size ? -1 : at + size;
        return forward ? std::clamp<std::int64_t>(at, 0, size)
                       : std::clamp<std::int64_t>(at, -1, size - 1);
    };
    begin = clamped(begin);
    end = clamped(end);
    if (forward) return x.slice(axis, begin, std::max(begin, end), step);
    // A backward slice takes the same numbers forwards and reverses them.
    const std::int64_t back = step < -size ? size + 1 : -step;
    const std::int64_t count = begin > end ? (begin - end - 1) / back + 1 : 0;
    if (count == 0) return x.slice(axis, 0, 0);
    const std::int64_t lowest = begin - (count - 1) * back;
    return x.slice(axis, lowest, begin + 1, back).flip({axis});
}

Tensor slice(const OnnxCall& call) {
    Tensor out = call.in(0);
    const Ints starts = call.ints_of("starts", 1).value_or(Ints());
    const Ints ends = call.ints_of("ends", 2).value_or(Ints());
    const Ints axes = call.ints_of("axes", 3).value_or([&] {
        Ints all;
        for (std::size_t d = 0; d < starts.size(); ++d) all.push_back(static_cast<std::int64_t>(d));
        return all;
    }());
    const Ints steps = call.has(4) ? call.ints_in(4) : Ints(starts.size(), 1);
    if (ends.size() != starts.size() || axes.size() != starts.size() ||
        steps.size() != starts.size())
        throw NodeError(
            fmt::format("starts, ends, axes and steps have {}, {}, {} and {} numbers, but must "
                        "have equally many",
                        starts.size(), ends.size(), axes.size(), steps.size()));
    for (std::size_t i = 0; i < starts.size(); ++i)
        out = cut(out, axis_in(axes[i], out.dim()), starts[i], ends[i], steps[i]);
    return out;
}

Tensor gather(const OnnxCall& call) {
    const Tensor& x = call.in(0);
    const std::int64_t axis = axis_in(call.integer("axis", 0), x.dim());
    const Tensor index = positions(call.in(1), x, x.size(axis));
    Ints sizes(x.sizes().begin(), x.sizes().begin() + axis);
    sizes.insert(sizes.end(), index.sizes().begin(), index.sizes().end());
    sizes.insert(sizes.end(), x.sizes().begin() + axis + 1, x.sizes().end());
    return x.index_select(axis, index.reshape({-1})).reshape(sizes);
}

Tensor gather_elements(const OnnxCall& call) {
    const Tensor& x = call.in(0);
    const std::int64_t axis = axis_in(call.integer("axis", 0), x.dim());
    return x.gather(axis, positions(call.in(1), x, x.size(axis)));
}

/// The last dimension of `index` as one list of positions per leading dimension of `data`.
std::vector<at::indexing::TensorIndex> columns(const Tensor& index, const Tensor& data) {
    if (index.dim() < 1 || index.size(-1) > data.dim())
        throw NodeError("its positions have more coordinates than the data has dimensions");
    std::vector<at::indexing::TensorIndex> out;
    // reserves memory first, because copies would read unset members
    out.reserve(static_cast<std::size_t>(index.size(-1)));
    for (std::int64_t d = 0; d < index.size(-1); ++d)
        out.emplace_back(positions(index.select(-1, d), data, data.size(d)));
    return out;
}

Tensor gather_nd(const OnnxCall& call) {
    if (call.integer("batch_dims", 0) != 0)
        throw NotSupported("attribute \"batch_dims\" is not supported");
    return call.in(0).index(columns(call.in(1), call.in(0)));
}

Tensor scatter_nd(const OnnxCall& call) {
    if (call.text("reduction", "none") != "none")
        throw NotSupported("attribute \"reduction\" is not supported");
    const Tensor& x = call.in(0);
    return x.clone().index_put_(columns(call.in(1), x), beside(call.in(2), x));
}

Tensor scatter_elements(const OnnxCall& call) {
    if (call.text("reduction", "none") != "none")
        throw NotSupported("attribute \"reduction\" is not supported");
    const Tensor& x = call.in(0);
    const std::int64_t axis = axis_in(call.integer("axis", 0), x.dim());
    return x.scatter(axis, positions(call.in(1), x, x.size(axis)), beside(call.in(2), x));
}

Tensor one_hot(const OnnxCall& call) {
    const Tensor values = call.in(2);
    if (call.in(1).numel() != 1 || values.numel() != 2)
        throw NodeError(fmt::format("depth must be one number and values two, but have {} and {}",
                                    call.in(1).numel(), values.numel()));
    const std::int64_t depth = call.in(1).item<std::int64_t>();
    const Tensor index = positions(call.in(0), call.in(0), depth);
    std::int64_t axis = axis_in(call.integer("axis", -1), index.dim() + 1);
    Ints sizes = index.sizes().vec();
    sizes.insert(sizes.begin() + axis, depth);
    check_numbers(sizes);
    const Tensor off = at::full(sizes, values[0].item(), values.options());
    return off.scatter(axis, index.unsqueeze(axis), values[1].item());
}

}  // namespace

std::span<const OnnxOperator> index_operators() {
    static constexpr OnnxOperator table[] = {
        {"Slice", slice},
        {"Gather", gather},
        {"GatherElements", gather_elements},
        {"GatherND", gather_nd},
        {"ScatterND", scatter_nd},
        {"ScatterElements", scatter_elements},
        {"Scatter", scatter_elements},  // the name before opset 11
        {"OneHot", one_hot},
        {"NonZero", [](const OnnxCall& c) { return c.in(0).nonzero().t(); }},
    };
    return table;
}

}  // namespace assay::torch_plugin
