// ONNX's Resize and Upsample: one axis after the other, each result pixel a weighted sum of 1
// (nearest), 2 (linear) or 4 (cubic) pixels. Slower than ATen's own kernels but right for every
// coordinate mode of the standard.
#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/torch/onnx_graph.h"

namespace assay::torch_plugin {
namespace {

using at::Tensor;

struct Rule {
    std::string mode;         ///< nearest, linear, cubic
    std::string coordinates;  ///< how a result pixel's position is found in the input
    std::string nearest;
    double cubic_a;
};

/// Where result pixel `i` lies in the input, in pixels. In single precision like the runtimes that
/// models are checked with: whether 1.5 / 0.6 - 0.5 falls short of 2 decides which pixel is
/// nearest.
float source(const Rule& rule, float i, float scale, std::int64_t in, std::int64_t out) {
    const auto last = [](std::int64_t size) { return static_cast<float>(size - 1); };
    if (rule.coordinates == "half_pixel") return (i + 0.5F) / scale - 0.5F;
    if (rule.coordinates == "pytorch_half_pixel") return out > 1 ? (i + 0.5F) / scale - 0.5F : 0.0F;
    if (rule.coordinates == "asymmetric") return i / scale;
    if (rule.coordinates == "align_corners") return out > 1 ? i * last(in) / last(out) : 0.0F;
    if (rule.coordinates == "tf_half_pixel_for_nn") return (i + 0.5F) / scale;
    throw NodeError(
        fmt::format("coordinate_transformation_mode \"{}\" is not supported", rule.coordinates));
}

double rounded(const Rule& rule, double x) {
    if (rule.nearest == "round_prefer_floor") return std::ceil(x - 0.5);
    if (rule.nearest == "round_prefer_ceil") return std::floor(x + 0.5);
    if (rule.nearest == "floor") return std::floor(x);
    if (rule.nearest == "ceil") return std::ceil(x);
    throw NodeError(fmt::format("nearest_mode \"{}\" is not supported", rule.nearest));
}

/// Keys' cubic for a distance d.
double cubic(double a, double d) {
    d = std::abs(d);
    if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
    if (d < 2) return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
    return 0;
}

Tensor resize_axis(const Tensor& x, std::int64_t axis, std::int64_t out, double scale,
                   const Rule& rule) {
    const std::int64_t in = x.size(axis);
    const int taps = rule.mode == "nearest" ? 1 : rule.mode == "linear" ? 2 : 4;
    std::vector<Ints> positions(static_cast<std::size_t>(taps));
    std::vector<std::vector<double>> weights(static_cast<std::size_t>(taps));
    for (std::int64_t i = 0; i < out; ++i) {
        const double at = source(rule, static_cast<float>(i), static_cast<float>(scale), in, out);
        if (!std::isfinite(at)) throw NodeError("a scale that is no number");
        const double base = taps == 1 ? rounded(rule, at) : std::floor(at) - (taps / 2 - 1);
        for (int t = 0; t < taps; ++t) {
            const double from = base + t;
            const auto k = static_cast<std::size_t>(t);
            positions[k].push_back(
                static_cast<std::int64_t>(std::clamp(from, 0.0, static_cast<double>(in - 1))));
            weights[k].push_back(taps == 1   ? 1.0
                                 : taps == 2 ? 1.0 - std::abs(at - from)
                                             : cubic(rule.cubic_a, at - from));
        }
    }
    Tensor sum;
    for (std::size_t t = 0; t < positions.size(); ++t) {
        Tensor part = x.index_select(axis, beside(from_ints(positions[t]), x));
        if (taps > 1) {
            Tensor weight = at::empty({out}, at::kDouble);
            std::ranges::copy(weights[t], weight.data_ptr<double>());
            Ints shape(static_cast<std::size_t>(x.dim()), 1);
            shape[static_cast<std::size_t>(axis)] = out;
            part = part.mul(weight.to(x.device(), x.scalar_type()).reshape(shape));
        }
        sum = sum.defined() ? sum.add(part) : part;
    }
    return sum;
}

std::vector<double> doubles(const Tensor& tensor) {
    const Tensor values = tensor.to(at::kCPU, at::kDouble).contiguous().reshape({-1});
    if (values.numel() > 16) throw NodeError("too many scales");
    return {values.data_ptr<double>(), values.data_ptr<double>() + values.numel()};
}

Tensor resized(const OnnxCall& call, const std::vector<double>& scales, const Ints& sizes,
               const Rule& rule) {
    const Tensor& x = call.in(0);
    if (rule.mode != "nearest" && rule.mode != "linear" && rule.mode != "cubic")
        throw NodeError(fmt::format("mode \"{}\" is not supported", rule.mode));
    Ints axes = call.integers("axes");
    if (axes.empty()) {
        for (std::int64_t d = 0; d < x.dim(); ++d) axes.push_back(d);
    }
    if ((sizes.empty() ? scales.size() : sizes.size()) != axes.size())
        throw NodeError("one scale or size for each axis is needed");
    Tensor out = x;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::int64_t axis = axis_in(axes[i], x.dim());
        const std::int64_t in = x.size(axis);
        const double wanted = sizes.empty() ? std::floor(static_cast<double>(in) * scales[i])
                                            : static_cast<double>(sizes[i]);
        if (!(wanted >= 1 && wanted < (1 << 24)) || in < 1)
            throw NodeError(fmt::format("{} pixels resized to {}", in, wanted));
        const auto to = static_cast<std::int64_t>(wanted);
        const double scale = sizes.empty() ? scales[i] : wanted / static_cast<double>(in);
        if (to == in && scale == 1.0) continue;
        Ints result = out.sizes().vec();
        result[static_cast<std::size_t>(axis)] = to;
        check_numbers(result);
        out = resize_axis(out, axis, to, scale, rule);
    }
    return out;
}

/// Opset 10 had (X, scales) and one coordinate mode; since 11: (X, roi, scales, sizes).
Tensor resize(const OnnxCall& call) {
    if (call.integer("antialias", 0) != 0) throw NodeError("antialias is not supported");
    if (call.integer("exclude_outside", 0) != 0)
        throw NodeError("exclude_outside is not supported");
    if (call.text("keep_aspect_ratio_policy", "stretch") != "stretch")
        throw NodeError("only the policy \"stretch\" is supported");
    Rule rule = {
        call.text("mode", "nearest"), call.text("coordinate_transformation_mode", "half_pixel"),
        call.text("nearest_mode", "round_prefer_floor"), call.real("cubic_coeff_a", -0.75)};
    if (call.opset() < 11) {
        rule.coordinates = "asymmetric";
        rule.nearest = "floor";
        return resized(call, doubles(call.in(1)), {}, rule);
    }
    if (call.has(3) && call.in(3).numel() > 0) return resized(call, {}, call.ints_in(3), rule);
    return resized(call, doubles(call.in(2)), {}, rule);
}

Tensor upsample(const OnnxCall& call) {
    const Rule rule = {call.text("mode", "nearest"), "asymmetric", "floor", -0.75};
    return resized(call, call.has_attribute("scales") ? call.reals("scales") : doubles(call.in(1)),
                   {}, rule);
}

}  // namespace

std::span<const OnnxOperator> resize_operators() {
    static constexpr OnnxOperator table[] = {
        {"Resize", resize},
        {"Upsample", upsample},
    };
    return table;
}

}  // namespace assay::torch_plugin
