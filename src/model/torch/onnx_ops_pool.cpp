// ONNX's pooling.
#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/ones_like.h>
#include <fmt/format.h>

#include <limits>

#include "model/torch/onnx_graph.h"

namespace assay::torch_plugin {
namespace {

using at::Tensor;

/// A pooling window over two spatial dimensions. One dimension is handled as two, with the first of
/// size 1.
struct Pool {
    Tensor x;
    bool one_dimensional = false;
    Ints kernel, strides, dilations;
    Padding padding;
    Ints out;  ///< size of the result

    Tensor finished(const Tensor& y) const {
        // ATen may count one window more if both round up.
        const Tensor cut = y.narrow(2, 0, out[0]).narrow(3, 0, out[1]);
        return one_dimensional ? cut.squeeze(2) : cut;
    }
};

Pool pool_of(const OnnxCall& call) {
    Pool p;
    p.x = call.in(0);
    if (p.x.dim() != 3 && p.x.dim() != 4)
        throw NotSupported(
            fmt::format("pooling of a {}-dimensional tensor is not supported", p.x.dim()));
    p.kernel = call.integers("kernel_shape");
    const auto spatial = static_cast<std::size_t>(p.x.dim() - 2);
    p.strides = call.integers("strides", Ints(spatial, 1));
    p.dilations = call.integers("dilations", Ints(spatial, 1));
    if (p.kernel.size() != spatial || p.strides.size() != spatial || p.dilations.size() != spatial)
        throw NodeError(fmt::format(
            "kernel_shape, strides and dilations have {}, {} and {} numbers instead of {}",
            p.kernel.size(), p.strides.size(), p.dilations.size(), spatial));
    Ints reach;
    for (std::size_t d = 0; d < spatial; ++d) {
        constexpr std::int64_t most = 1 << 20;
        for (const std::int64_t v : {p.kernel[d], p.strides[d], p.dilations[d]}) {
            if (v < 1 || v > most)
                throw NodeError("kernel, strides and dilations must be between 1 and 2^20");
        }
        reach.push_back((p.kernel[d] - 1) * p.dilations[d] + 1);
    }
    p.padding = padding_of(call, p.x, reach, p.strides);
    for (std::size_t d = 0; d < spatial; ++d) {
        if (p.padding.before[d] < 0 || p.padding.after[d] < 0)
            throw NodeError("padding must not be negative");
        const std::int64_t size = p.x.size(static_cast<std::int64_t>(d) + 2);
        const std::int64_t component = size + p.padding.before[d] + p.padding.after[d] - reach[d];
        if (component < 0)
            throw NodeError(fmt::format("the window of {} is larger than the {} pixels under it",
                                        reach[d], size));
        std::int64_t steps = component / p.strides[d];
        // Rounds up, unless the last window would begin in the padding.
        if (call.integer("ceil_mode", 0) != 0 && component % p.strides[d] != 0 &&
            (steps + 1) * p.strides[d] < size + p.padding.before[d])
            ++steps;
        p.out.push_back(steps + 1);
    }
    if (spatial == 1) {
        p.one_dimensional = true;
        p.x = p.x.unsqueeze(2);
        p.kernel.insert(p.kernel.begin(), 1);
        p.strides.insert(p.strides.begin(), 1);
        p.dilations.insert(p.dilations.begin(), 1);
        p.padding.before.insert(p.padding.before.begin(), 0);
        p.padding.after.insert(p.padding.after.begin(), 0);
        p.out.insert(p.out.begin(), 1);
    }
    return p;
}

/// Padding that ATen's pooling supports: the same on both sides and at most half a window.
bool is_simple(const Pool& p) {
    for (std::size_t d = 0; d < 2; ++d) {
        if (p.padding.before[d] != p.padding.after[d] || p.padding.before[d] > p.kernel[d] / 2)
            return false;
    }
    return true;
}

Tensor max_pool(const OnnxCall& call) {
    Pool p = pool_of(call);
    const bool up = call.integer("ceil_mode", 0) != 0;
    // ATen does not pool codes of quantized images, but floats hold them exactly.
    const at::ScalarType type = p.x.scalar_type();
    if (type == at::kChar || type == at::kByte) p.x = p.x.to(at::kFloat);
    if (is_simple(p)) {
        return p
            .finished(at::max_pool2d(p.x, p.kernel, p.strides, p.padding.before, p.dilations, up))
            .to(type);
    }
    const Tensor x = padded(p.x, p.padding, -std::numeric_limits<double>::infinity());
    return p.finished(at::max_pool2d(x, p.kernel, p.strides, {0, 0}, p.dilations, up)).to(type);
}

/// Computes the sum under each window of `x`, with zeros around it.
Tensor sums_of(const Pool& p, const Tensor& x) {
    // If the size is rounded up, the last window may reach beyond the padding.
    Padding around = p.padding;
    for (std::size_t d = 0; d < 2; ++d) {
        const std::int64_t reach = (p.kernel[d] - 1) * p.dilations[d] + 1;
        const std::int64_t there =
            x.size(static_cast<std::int64_t>(d) + 2) + around.before[d] + around.after[d];
        const std::int64_t needed = (p.out[d] - 1) * p.strides[d] + reach;
        around.after[d] += std::max<std::int64_t>(0, needed - there);
    }
    const Tensor wide = padded(x, around, 0);
    if (p.dilations == Ints{1, 1}) {
        return at::avg_pool2d(wide, p.kernel, p.strides, {0, 0}, false, true, 1)
            .narrow(2, 0, p.out[0])
            .narrow(3, 0, p.out[1]);
    }
    const Tensor planes = wide.reshape({x.size(0) * x.size(1), 1, wide.size(2), wide.size(3)});
    const Tensor sums =
        at::convolution(planes, at::ones({1, 1, p.kernel[0], p.kernel[1]}, x.options()), {},
                        p.strides, {0, 0}, p.dilations, false, {0, 0}, 1);
    return sums.narrow(2, 0, p.out[0])
        .narrow(3, 0, p.out[1])
        .reshape({x.size(0), x.size(1), p.out[0], p.out[1]});
}

/// Opset 1 wrote p as a float.
double exponent_of(const OnnxCall& call) {
    const double p =
        call.opset() < 2 ? call.real("p", 2) : static_cast<double>(call.integer("p", 2));
    if (!(p >= 1)) throw NodeError(fmt::format("p = {}; 1 or more is allowed", p));
    return p;
}

/// Computes (sum of |x|^p)^(1/p), given a function that sums.
template <class Sum>
Tensor norm_by(double p, const Tensor& x, Sum&& sum) {
    if (p == 1) return sum(x.abs());
    if (p == 2) return sum(x.mul(x)).sqrt();
    return sum(x.abs().pow(p)).pow(1 / p);
}

Tensor lp_pool(const OnnxCall& call) {
    const Pool p = pool_of(call);
    const Tensor y =
        norm_by(exponent_of(call), p.x, [&](const Tensor& x) { return sums_of(p, x); });
    return p.finished(y);
}

/// The mean of dilated windows. `counted` is 1 at positions that count, which includes the padding
/// if the file says so.
Tensor dilated_mean(const Pool& p, bool count_padding) {
    Tensor counted = at::ones_like(p.x.narrow(0, 0, 1).narrow(1, 0, 1));
    Pool of_counts = p;
    if (count_padding) {
        counted = padded(counted, p.padding, 1);
        of_counts.padding = {{0, 0}, {0, 0}};
    }
    return p.finished(sums_of(p, p.x).div(sums_of(of_counts, counted)));
}

Tensor average_pool(const OnnxCall& call) {
    const Pool p = pool_of(call);
    const bool count_padding = call.integer("count_include_pad", 0) != 0;
    if (p.dilations != Ints{1, 1}) return dilated_mean(p, count_padding);
    const bool up = call.integer("ceil_mode", 0) != 0;
    if (is_simple(p))
        return p.finished(
            at::avg_pool2d(p.x, p.kernel, p.strides, p.padding.before, up, count_padding));
    const auto sums = [&](const Tensor& x) {
        return at::avg_pool2d(padded(x, p.padding, 0), p.kernel, p.strides, {0, 0}, up, true);
    };
    if (count_padding) return p.finished(sums(p.x));
    // The mean over real pixels is the padded mean divided by the proportion of real pixels.
    return p.finished(sums(p.x).div(sums(at::ones_like(p.x.narrow(0, 0, 1).narrow(1, 0, 1)))));
}

Ints spatial_axes(const Tensor& x) {
    Ints axes;
    for (std::int64_t d = 2; d < x.dim(); ++d) axes.push_back(d);
    if (axes.empty())
        throw NodeError(fmt::format("its input needs at least 3 dimensions, but has {}", x.dim()));
    return axes;
}

}  // namespace

std::span<const OnnxOperator> pool_operators() {
    static constexpr OnnxOperator table[] = {
        {"MaxPool", max_pool},
        {"AveragePool", average_pool},
        {"LpPool", lp_pool},
        {"GlobalLpPool",
         [](const OnnxCall& c) {
             return norm_by(exponent_of(c), c.in(0),
                            [&](const Tensor& x) { return x.sum(spatial_axes(c.in(0)), true); });
         }},
        {"GlobalAveragePool",
         [](const OnnxCall& c) { return c.in(0).mean(spatial_axes(c.in(0)), true); }},
        {"GlobalMaxPool",
         [](const OnnxCall& c) { return c.in(0).amax(spatial_axes(c.in(0)), true); }},
    };
    return table;
}

}  // namespace assay::torch_plugin
