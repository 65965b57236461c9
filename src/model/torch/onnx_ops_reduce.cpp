// ONNX's reductions over axes.
#include <ATen/ops/cumsum.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/topk.h>
#include <fmt/format.h>

#include "model/torch/onnx_graph.h"

namespace assay::torch_plugin {
namespace {

using at::Tensor;

/// Axes are an input since opset 18 (13 for ReduceSum), and were an attribute before.
template <class Function>
Tensor reduce(const OnnxCall& call, Function&& function) {
    const Tensor& x = call.in(0);
    Ints axes = call.ints_of("axes", 1).value_or(Ints());
    if (axes.empty()) {
        if (call.integer("noop_with_empty_axes", 0) != 0) return x;
        for (std::int64_t d = 0; d < x.dim(); ++d) axes.push_back(d);
    }
    for (std::int64_t& axis : axes) axis = axis_in(axis, x.dim());
    return x.dim() == 0 ? x : function(x, axes, call.integer("keepdims", 1) != 0);
}

Tensor product(const Tensor& x, Ints axes, bool keep) {
    std::ranges::sort(axes,
                      std::greater<>());  // from the last one, so that earlier positions stay valid
    Tensor out = x;
    for (const std::int64_t axis : axes) out = out.prod(axis, keep);
    return out;
}

template <bool Largest>
Tensor extreme_position(const OnnxCall& call) {
    if (call.integer("select_last_index", 0) != 0)
        throw NotSupported("select_last_index is not supported");
    const Tensor& x = call.in(0);
    const std::int64_t axis = axis_in(call.integer("axis", 0), x.dim());
    const bool keep = call.integer("keepdims", 1) != 0;
    return Largest ? x.argmax(axis, keep) : x.argmin(axis, keep);
}

Tensors top_k(const OnnxCall& call) {
    const Tensor& x = call.in(0);
    const Ints k = call.has(1) ? call.ints_in(1) : Ints{call.integer("k")};
    if (k.size() != 1) throw NodeError(fmt::format("k must be one number, but has {}", k.size()));
    auto [values, positions] =
        at::topk(x, k[0], axis_in(call.integer("axis", -1), x.dim()),
                 call.integer("largest", 1) != 0, call.integer("sorted", 1) != 0);
    return {values, positions};
}

Tensor cumulative_sum(const OnnxCall& call) {
    const Ints axis = call.ints_in(1);
    if (axis.size() != 1 || call.integer("exclusive", 0) != 0 || call.integer("reverse", 0) != 0)
        throw NotSupported(
            "only sums along one axis, without exclusive and reverse, are supported");
    const Tensor& x = call.in(0);
    return at::cumsum(x, axis_in(axis[0], x.dim())).to(x.scalar_type());
}

}  // namespace

std::span<const OnnxOperator> reduce_operators() {
    static constexpr OnnxOperator table[] = {
        {"ReduceSum",
         [](const OnnxCall& c) {
             return reduce(c, [](const Tensor& x, const Ints& d, bool k) {
                 return x.sum(d, k).to(x.scalar_type());
             });
         }},
        {"ReduceMean",
         [](const OnnxCall& c) {
             return reduce(c, [](const Tensor& x, const Ints& d, bool k) { return x.mean(d, k); });
         }},
        {"ReduceMax",
         [](const OnnxCall& c) {
             return reduce(c, [](const Tensor& x, const Ints& d, bool k) { return x.amax(d, k); });
         }},
        {"ReduceMin",
         [](const OnnxCall& c) {
             return reduce(c, [](const Tensor& x, const Ints& d, bool k) { return x.amin(d, k); });
         }},
        {"ReduceProd",
         [](const OnnxCall& c) {
             return reduce(c, [](const Tensor& x, const Ints& d, bool k) {
                 return product(x, d, k).to(x.scalar_type());
             });
         }},
        {"ReduceL1",
         [](const OnnxCall& c) {
             return reduce(
                 c, [](const Tensor& x, const Ints& d, bool k) { return x.abs().sum(d, k); });
         }},
        {"ReduceL2",
         [](const OnnxCall& c) {
             return reduce(c, [](const Tensor& x, const Ints& d, bool k) {
                 return x.mul(x).sum(d, k).sqrt();
             });
         }},
        {"ReduceSumSquare",
         [](const OnnxCall& c) {
             return reduce(
                 c, [](const Tensor& x, const Ints& d, bool k) { return x.mul(x).sum(d, k); });
         }},
        {"ReduceLogSum",
         [](const OnnxCall& c) {
             return reduce(
                 c, [](const Tensor& x, const Ints& d, bool k) { return x.sum(d, k).log(); });
         }},
        {"ReduceLogSumExp",
         [](const OnnxCall& c) {
             return reduce(
                 c, [](const Tensor& x, const Ints& d, bool k) { return at::logsumexp(x, d, k); });
         }},
        {"ArgMax", extreme_position<true>},
        {"ArgMin", extreme_position<false>},
        {"TopK", nullptr, top_k},
        {"CumSum", cumulative_sum},
    };
    return table;
}

}  // namespace assay::torch_plugin
