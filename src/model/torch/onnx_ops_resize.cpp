// ONNX's Resize and Upsample: one axis after the other, each result pixel a weighted sum of 1
// (nearest), 2 (linear) or 4 (cubic) pixels. This is slower than ATen's own kernels, but correct
// for every coordinate mode of the standard.
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "model/torch/onnx_graph.h"

namespace assay::torch_plugin {
namespace {

using at::Tensor;

struct Rule {
    std::string mode;         ///< nearest, linear, cubic
    std::string coordinates;  ///< rule for a result pixel's position in the input
    std::string nearest;
    double cubic_a;
    bool antialias = false;        ///< true if shrinking stretches the filter over the pixels it
                                   ///< replaces
    bool exclude_outside = false;  ///< true if pixels outside the image have no weight
};

/// The position of result pixel `i` in the input, in pixels. Uses single precision like the
/// reference runtimes, because rounding of 1.5 / 0.6 - 0.5 decides which pixel is nearest.
float source(const Rule& rule, float i, float scale, std::int64_t in, std::int64_t out) {
    const auto last = [](std::int64_t size) { return static_cast<float>(size - 1); };
    if (rule.coordinates == "half_pixel") return (i + 0.5F) / scale - 0.5F;
    if (rule.coordinates == "pytorch_half_pixel") return out > 1 ? (i + 0.5F) / scale - 0.5F : 0.0F;
    if (rule.coordinates == "asymmetric") return i / scale;
    if (rule.coordinates == "align_corners") return out > 1 ? i * last(in) / last(out) : 0.0F;
    if (rule.coordinates == "half_pixel_symmetric") {
        // If the size was rounded, treats both halves of the image in the same way.
        const float rounding = static_cast<float>(out) / (scale * static_cast<float>(in));
        const float middle = static_cast<float>(in) / 2.0F;
        return middle * (1.0F - rounding) + (i + 0.5F) / scale - 0.5F;
    }
    if (rule.coordinates == "tf_half_pixel_for_nn") return (i + 0.5F) / scale;
    throw NotSupported(
        fmt::format("coordinate_transformation_mode \"{}\" is not supported", rule.coordinates));
}

double rounded(const Rule& rule, double x) {
    if (rule.nearest == "round_prefer_floor") return std::ceil(x - 0.5);
    if (rule.nearest == "round_prefer_ceil") return std::floor(x + 0.5);
    if (rule.nearest == "floor") return std::floor(x);
    if (rule.nearest == "ceil") return std::ceil(x);
    throw NodeError(fmt::format(
        "nearest_mode is \"{}\"; allowed: round_prefer_floor, round_prefer_ceil, floor, ceil",
        rule.nearest));
}

/// Keys' cubic filter for a distance d.
double cubic(double a, double d) {
    d = std::abs(d);
    if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
    if (d < 2) return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
    return 0;
}

/// Each result pixel is a sum over all pixels that its filter covers.
Tensor filter_axis(const Tensor& x, std::int64_t axis, std::int64_t out, double scale,
                   const Rule& rule) {
    const std::int64_t in = x.size(axis);
    check_numbers({in, out});
    const double shrink = rule.antialias ? std::min(scale, 1.0) : 1.0;
    const double radius = (rule.mode == "linear" ? 1.0 : 2.0) / shrink;
    if (!(radius < (1 << 24))) throw NodeError("a scale is out of range or not a number");
    const Tensor matrix = at::zeros({out, in}, at::kDouble);
    auto* row = matrix.data_ptr<double>();
    for (std::int64_t i = 0; i < out; ++i, row += in) {
        const double at = source(rule, static_cast<float>(i), static_cast<float>(scale), in, out);
        if (!std::isfinite(at)) throw NodeError("a scale is out of range or not a number");
        double sum = 0;
        for (double from = std::ceil(at - radius); from <= at + radius; ++from) {
            if (rule.exclude_outside && (from < 0 || from > static_cast<double>(in - 1))) continue;
            const double distance = (at - from) * shrink;
            const double weight = rule.mode == "linear" ? std::max(0.0, 1.0 - std::abs(distance))
                                                        : cubic(rule.cubic_a, distance);
            row[static_cast<std::int64_t>(std::clamp(from, 0.0, static_cast<double>(in - 1)))] +=
                weight;
            sum += weight;
        }
        if (sum == 0) throw NodeError("a pixel of the result lies outside the image");
        for (std::int64_t k = 0; k < in; ++k) row[k] /= sum;
    }
    return x.movedim(axis, -1).matmul(matrix.to(x.device(), x.scalar_type()).t()).movedim(-1, axis);
}

Tensor resize_axis(const Tensor& x, std::int64_t axis, std::int64_t out, double scale,
                   const Rule& rule) {
    if (rule.mode != "nearest" && ((rule.antialias && scale < 1) || rule.exclude_outside))
        return filter_axis(x, axis, out, scale, rule);
    const std::int64_t in = x.size(axis);
    const int taps = rule.mode == "nearest" ? 1 : rule.mode == "linear" ? 2 : 4;
    std::vector<Ints> positions(static_cast<std::size_t>(taps));
    std::vector<std::vector<double>> weights(static_cast<std::size_t>(taps));
    for (std::int64_t i = 0; i < out; ++i) {
        const double at = source(rule, static_cast<float>(i), static_cast<float>(scale), in, out);
        if (!std::isfinite(at)) throw NodeError("a scale is out of range or not a number");
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

/// The two pixels around each result pixel along `axis`, and the weight of each.
struct Neighbours {
    std::array<Ints, 2> places;
    std::array<Tensor, 2> weights;
};

Neighbours linear_neighbours(const Tensor& x, std::int64_t axis, std::int64_t out, double scale,
                             const Rule& rule) {
    const std::int64_t in = x.size(axis);
    Neighbours all;
    for (Tensor& weight : all.weights) weight = at::empty({out}, at::kFloat);
    for (std::int64_t i = 0; i < out; ++i) {
        float at = source(rule, static_cast<float>(i), static_cast<float>(scale), in, out);
        if (!std::isfinite(at)) throw NodeError("a scale is out of range or not a number");
        at = std::clamp(at, 0.0F, static_cast<float>(in - 1));
        const auto first = static_cast<std::int64_t>(at);
        const std::int64_t second = std::min(first + 1, in - 1);
        all.places[0].push_back(first);
        all.places[1].push_back(second);
        const auto distance = [&](std::int64_t place) {
            return first == second ? 0.5F : std::abs(at - static_cast<float>(place));
        };
        all.weights[0].data_ptr<float>()[i] = distance(second);
        all.weights[1].data_ptr<float>()[i] = distance(first);
    }
    return all;
}

/// Interpolates codes with the same bits as ONNX Runtime: four products in single precision, whose
/// sum is truncated to an integer. Otherwise a third of the pixels would differ.
Tensor resize_codes(const Tensor& x, const Neighbours& rows, const Neighbours& columns) {
    Tensor sum;
    for (std::size_t r = 0; r < 2; ++r) {
        const Tensor row = x.index_select(-2, beside(from_ints(rows.places[r]), x));
        for (std::size_t c = 0; c < 2; ++c) {
            const Tensor weight = rows.weights[r].unsqueeze(1).mul(columns.weights[c]);
            const Tensor part = row.index_select(-1, beside(from_ints(columns.places[c]), x))
                                    .to(at::kFloat)
                                    .mul(weight.to(x.device()));
            sum = sum.defined() ? sum.add(part) : part;
        }
    }
    return sum.trunc().to(x.scalar_type());
}

std::vector<double> doubles(const Tensor& tensor) {
    const Tensor values = tensor.to(at::kCPU, at::kDouble).contiguous().reshape({-1});
    if (values.numel() > 16)
        throw NodeError(fmt::format("it has {} scales; at most 16 are allowed", values.numel()));
    return {values.data_ptr<double>(), values.data_ptr<double>() + values.numel()};
}

/// One scale for all axes with which sizes are never above `sizes` ("not_larger"), or never below
/// ("not_smaller"). `sizes` become the result's sizes, with halves rounded up.
std::vector<double> common_scale(const Tensor& x, const Ints& axes, const std::string& policy,
                                 Ints& sizes) {
    if (policy != "not_larger" && policy != "not_smaller")
        throw NodeError(
            fmt::format("keep_aspect_ratio_policy \"{}\" is unknown; stretch, "
                        "not_larger and not_smaller are allowed",
                        policy));
    double scale = policy == "not_larger" ? std::numeric_limits<double>::infinity() : 0;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const auto in = static_cast<double>(x.size(axis_in(axes[i], x.dim())));
        const double wanted = static_cast<double>(sizes[i]) / std::max(in, 1.0);
        scale = policy == "not_larger" ? std::min(scale, wanted) : std::max(scale, wanted);
    }
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const auto in = static_cast<double>(x.size(axis_in(axes[i], x.dim())));
        const double size = std::floor(in * scale + 0.5);
        if (!(size < (1 << 24))) throw NodeError("a scale is out of range or not a number");
        sizes[i] = static_cast<std::int64_t>(size);
    }
    return std::vector<double>(axes.size(), scale);
}

Tensor resized(const OnnxCall& call, std::vector<double> scales, Ints sizes, const Rule& rule) {
    const Tensor& x = call.in(0);
    if (rule.mode != "nearest" && rule.mode != "linear" && rule.mode != "cubic")
        throw NodeError(fmt::format("mode is \"{}\"; allowed: nearest, linear, cubic", rule.mode));
    const bool codes = rule.mode == "linear" && x.dim() >= 2 && !rule.antialias &&
                       !rule.exclude_outside &&
                       (x.scalar_type() == at::kByte || x.scalar_type() == at::kChar);
    if (rule.mode != "nearest" && !x.is_floating_point() && !codes)
        throw NotSupported(fmt::format("mode \"{}\" of whole numbers is not supported", rule.mode));
    Ints axes = call.integers("axes");
    if (axes.empty()) {
        for (std::int64_t d = 0; d < x.dim(); ++d) axes.push_back(d);
    }
    if ((sizes.empty() ? scales.size() : sizes.size()) != axes.size())
        throw NodeError(fmt::format("it has {} scales or sizes for {} axes",
                                    sizes.empty() ? scales.size() : sizes.size(), axes.size()));
    const std::string policy = call.text("keep_aspect_ratio_policy", "stretch");
    if (!sizes.empty() && policy != "stretch") scales = common_scale(x, axes, policy, sizes);
    Tensor out = x;
    std::array<std::optional<Neighbours>, 2> both;  // for codes: rows and columns
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::int64_t axis = axis_in(axes[i], x.dim());
        const std::int64_t in = x.size(axis);
        // Uses single precision like ONNX Runtime: 5 pixels times 1.8 give 9, not slightly less.
        const float product =
            static_cast<float>(in) * static_cast<float>(scales.empty() ? 1.0 : scales[i]);
        const double wanted = sizes.empty() ? std::floor(product) : static_cast<double>(sizes[i]);
        if (!(wanted >= 1 && wanted < (1 << 24)) || in < 1)
            throw NodeError(
                fmt::format("axis {} cannot be resized from {} to {} pixels", axis, in, wanted));
        const auto to = static_cast<std::int64_t>(wanted);
        const double scale = !scales.empty() ? scales[i] : wanted / static_cast<double>(in);
        if (codes && axis >= x.dim() - 2) {
            both[static_cast<std::size_t>(axis - (x.dim() - 2))] =
                linear_neighbours(x, axis, to, scale, rule);
            continue;
        }
        if (to == in && scale == 1.0) continue;
        if (codes)
            throw NotSupported("resizing whole numbers along axis " + std::to_string(axis) +
                               " is not supported, only along the last two");
        Ints result = out.sizes().vec();
        result[static_cast<std::size_t>(axis)] = to;
        check_numbers(result);
        out = resize_axis(out, axis, to, scale, rule);
    }
    if (!codes) return out;
    for (std::size_t d = 0; d < 2; ++d) {
        const std::int64_t axis = x.dim() - 2 + static_cast<std::int64_t>(d);
        if (!both[d]) both[d] = linear_neighbours(x, axis, x.size(axis), 1.0, rule);
    }
    Ints result = x.sizes().vec();
    result[result.size() - 2] = both[0]->weights[0].size(0);
    result[result.size() - 1] = both[1]->weights[0].size(0);
    check_numbers(result);
    return resize_codes(x, *both[0], *both[1]);
}

/// Inputs: (X, scales) with one coordinate mode in opset 10; (X, roi, scales, sizes) since 11.
Tensor resize(const OnnxCall& call) {
    Rule rule = {call.text("mode", "nearest"),
                 call.text("coordinate_transformation_mode", "half_pixel"),
                 call.text("nearest_mode", "round_prefer_floor"),
                 call.real("cubic_coeff_a", -0.75),
                 call.integer("antialias", 0) != 0,
                 call.integer("exclude_outside", 0) != 0};
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
    if (call.opset() < 7) {
        return resized(call, {1, 1, call.real("height_scale", 0), call.real("width_scale", 0)}, {},
                       rule);
    }
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
