// ONNX operators that sample an image between its pixels, at positions that the network computes.
#include <ATen/ops/affine_grid_generator.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/col2im.h>
#include <ATen/ops/grid_sampler_2d.h>
#include <ATen/ops/grid_sampler_3d.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/stack.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/torch/onnx_graph.h"

namespace assay::torch_plugin {
namespace {

using at::Tensor;

/// ATen's number for one of several names.
std::int64_t number_of_mode(std::string_view attribute, std::string_view value,
                            std::initializer_list<std::pair<std::string_view, int>> known) {
    std::vector<std::string_view> names;
    for (const auto& [name, number] : known) {
        if (name == value) return number;
        names.push_back(name);
    }
    throw NodeError(fmt::format("{} \"{}\" is unknown; {} are allowed", attribute, value,
                                fmt::join(names, ", ")));
}

/// ATen's definition equals ONNX's. Opset 20 renamed two modes and added volumes.
Tensor grid_sample(const OnnxCall& call) {
    const Tensor& x = call.in(0);
    const Tensor& grid = call.in(1);
    const bool older = call.opset() < 20;
    const std::string mode = call.text("mode", older ? "bilinear" : "linear");
    const std::int64_t interpolation =
        older ? number_of_mode("mode", mode, {{"bilinear", 0}, {"nearest", 1}, {"bicubic", 2}})
              : number_of_mode("mode", mode, {{"linear", 0}, {"nearest", 1}, {"cubic", 2}});
    const std::int64_t padding = number_of_mode("padding_mode", call.text("padding_mode", "zeros"),
                                                {{"zeros", 0}, {"border", 1}, {"reflection", 2}});
    const bool corners = call.integer("align_corners", 0) != 0;
    if ((x.dim() != 4 && x.dim() != 5) || grid.dim() != x.dim() || grid.size(-1) != x.dim() - 2 ||
        grid.size(0) != x.size(0)) {
        throw NodeError(fmt::format("a grid of {} does not fit an input of {}",
                                    fmt::join(grid.sizes(), " x "), fmt::join(x.sizes(), " x ")));
    }
    for (std::int64_t d = 2; d < x.dim(); ++d) {
        if (x.size(d) < 1) throw NodeError("its input has no pixels");
    }
    Ints sizes = grid.sizes().vec();
    sizes.back() = x.size(1);
    check_numbers(sizes);
    const Tensor where = beside(grid, x).to(x.scalar_type());
    if (x.dim() == 4) return at::grid_sampler_2d(x, where, interpolation, padding, corners);
    if (interpolation == 2) throw NodeError("mode \"cubic\" is for images, not for volumes");
    return at::grid_sampler_3d(x, where, interpolation, padding, corners);
}

Tensor affine_grid(const OnnxCall& call) {
    const Tensor& theta = call.in(0);
    const Ints size = call.ints_in(1);
    const auto spatial = static_cast<std::int64_t>(size.size()) - 2;
    if (spatial != 2 && spatial != 3)
        throw NodeError(fmt::format("its size must be 4 or 5 numbers, but has {}", size.size()));
    if (theta.dim() != 3 || theta.size(0) != size[0] || theta.size(1) != spatial ||
        theta.size(2) != spatial + 1) {
        throw NodeError(fmt::format("a theta of {} does not fit a size of {}",
                                    fmt::join(theta.sizes(), " x "), fmt::join(size, " x ")));
    }
    Ints sizes = size;
    sizes[1] = spatial;
    check_numbers(sizes);
    for (const std::int64_t side : size) {
        if (side < 1)
            throw NodeError(fmt::format("its size is {}, but all numbers must be positive",
                                        fmt::join(size, " x ")));
    }
    const bool corners = call.integer("align_corners", 0) != 0;
    for (std::size_t d = 2; d < size.size(); ++d) {
        // A single point is in the middle in PyTorch, at the beginning in ONNX's reference, and at
        // the end in ONNX Runtime.
        if (corners && size[d] == 1)
            throw NodeError("align_corners on a side with one pixel is ambiguous");
    }
    return at::affine_grid_generator(theta, size, corners);
}

/// A deformable convolution, in which each weight of the window reads at its own position.
struct Deformed {
    Tensor x;       ///< n x offset groups x channels of each x pixels
    Tensor offset;  ///< n x offset groups x weights of the window x 2 x pixels of the result
    Tensor mask;    ///< the same without the 2; undefined if there is none
    std::int64_t height = 0, width = 0;

    /// The values that the `k`-th weight reads, at rows y and columns x plus its offset: bilinear
    /// interpolation, with 0 outside.
    Tensor read(std::int64_t k, const Tensor& rows, const Tensor& columns) const {
        const Tensor moved = offset.select(2, k);
        const Tensor y = rows.add(moved.select(2, 0)), x_at = columns.add(moved.select(2, 1));
        const Tensor top = y.floor(), left = x_at.floor();
        const Tensor down = y.sub(top), right = x_at.sub(left);
        Tensor sum;
        for (const bool lower : {false, true}) {
            for (const bool farther : {false, true}) {
                const Tensor part =
                    pixels(top.add(lower ? 1 : 0), left.add(farther ? 1 : 0))
                        .mul(weight(down, lower).mul(weight(right, farther)).unsqueeze(2));
                sum = sum.defined() ? sum.add(part) : part;
            }
        }
        return mask.defined() ? sum.mul(mask.select(2, k).unsqueeze(2)) : sum;
    }

private:
    static Tensor weight(const Tensor& part, bool farther) {
        return farther ? part : part.neg().add(1);
    }

    Tensor pixels(const Tensor& y, const Tensor& x_at) const {
        const Tensor inside =
            y.ge(0).logical_and(y.lt(height)).logical_and(x_at.ge(0)).logical_and(x_at.lt(width));
        const auto whole = [](const Tensor& at, std::int64_t size) {
            return at.nan_to_num(0).clamp(0, size - 1).to(at::kLong);
        };
        const Tensor place = whole(y, height).mul(width).add(whole(x_at, width));
        Ints sizes = x.sizes().vec();
        sizes.back() = place.size(-1);
        return x.gather(3, place.unsqueeze(2).expand(sizes)).mul(inside.unsqueeze(2));
    }
};

Tensor deform_conv(const OnnxCall& call) {
    const Tensor& x = call.in(0);
    const Tensor& weight = call.in(1);
    if (x.dim() != 4)
        throw NodeError(fmt::format("its input must be n x channels x height x width, but is {}",
                                    fmt::join(x.sizes(), " x ")));
    const ConvolutionWindow w = window_of(call);
    const Padding padding = padding_of(call, x, w.reach, w.strides);
    const std::int64_t n = x.size(0), channels = x.size(1), height = x.size(2), width = x.size(3);
    const std::int64_t group = call.integer("group", 1);
    const std::int64_t offsets = call.integer("offset_group", 1);
    const std::int64_t window = w.kernel[0] * w.kernel[1], outputs = weight.size(0);
    if (group < 1 || offsets < 1 || channels % offsets != 0 || outputs % group != 0 ||
        weight.size(1) * group != channels)
        throw NodeError("the groups do not divide the channels");
    if (height < 1 || width < 1) throw NodeError("its input has no pixels");
    Ints out;
    for (std::size_t d = 0; d < 2; ++d) {
        constexpr std::int64_t most = 1 << 24;
        if (padding.before[d] > most || padding.after[d] > most || w.reach[d] > most)
            throw NodeError("padding and dilations must be at most 2^24");
        const std::int64_t left = x.size(static_cast<std::int64_t>(d) + 2) + padding.before[d] +
                                  padding.after[d] - w.reach[d];
        if (padding.before[d] < 0 || padding.after[d] < 0 || left < 0)
            throw NodeError("padding is negative, or the window is larger than the padded image");
        out.push_back(left / w.strides[d] + 1);
    }
    const std::int64_t places = out[0] * out[1];
    check_numbers({n, channels, window, out[0], out[1]});
    const auto fitted = [&](const Tensor& given, std::int64_t of_each, const char* what) {
        const Ints wanted = {n, offsets * window * of_each, out[0], out[1]};
        if (given.sizes() != c10::IntArrayRef(wanted)) {
            throw NodeError(fmt::format("its {} is {} instead of {}", what,
                                        fmt::join(given.sizes(), " x "), fmt::join(wanted, " x ")));
        }
        return beside(given, x).reshape({n, offsets, window, of_each, places});
    };
    Deformed image = {.x = x.reshape({n, offsets, channels / offsets, height * width}),
                      .offset = fitted(call.in(2), 2, "offset"),
                      .mask = {},
                      .height = height,
                      .width = width};
    if (call.has(4)) image.mask = fitted(call.in(4), 1, "mask").squeeze(3);
    const auto begins = [&](std::size_t d) {
        return at::arange(out[d], x.options()).mul(w.strides[d]).sub(padding.before[d]);
    };
    const Tensor rows = begins(0).unsqueeze(1).expand({out[0], out[1]}).reshape({places});
    const Tensor columns = begins(1).unsqueeze(0).expand({out[0], out[1]}).reshape({places});
    Tensors read;
    for (std::int64_t k = 0; k < window; ++k) {
        const std::int64_t down = k / w.kernel[1] * w.dilations[0];
        const std::int64_t right = k % w.kernel[1] * w.dilations[1];
        read.push_back(
            image.read(k, rows.add(down), columns.add(right)).reshape({n, channels, places}));
    }
    const Tensor all = at::stack(read, 2).reshape({n, group, channels / group * window, places});
    const Tensor product =
        at::matmul(weight.reshape({group, outputs / group, channels / group * window}), all)
            .reshape({n, outputs, out[0], out[1]});
    return call.has(3) ? product.add(call.in(3).reshape({outputs, 1, 1})) : product;
}

/// Sums overlapping windows into an image; the inverse of extracting windows without overlap.
Tensor columns_to_image(const OnnxCall& call) {
    const Ints image = call.ints_in(1), block = call.ints_in(2);
    const Ints strides = call.integers("strides", {1, 1});
    const Ints dilations = call.integers("dilations", {1, 1});
    const Ints pads = call.integers("pads", {0, 0, 0, 0});
    if (image.size() != 2 || block.size() != 2 || strides.size() != 2 || dilations.size() != 2 ||
        pads.size() != 4)
        throw NodeError(
            "image_shape, block_shape, strides and dilations need 2 numbers each, and pads 4");
    if (pads[0] != pads[2] || pads[1] != pads[3])
        throw NotSupported("padding that differs between two sides is not supported");
    const Tensor& x = call.in(0);
    constexpr std::int64_t most = 1 << 24;
    for (std::size_t d = 0; d < 2; ++d) {
        // ATen divides by the product of the block's sides, which could silently overflow.
        for (const std::int64_t v : {image[d], block[d], strides[d], dilations[d]}) {
            if (v < 1 || v > most)
                throw NodeError("sizes, strides and dilations must be between 1 and 2^24");
        }
        if (pads[d] < 0 || pads[d] > most) throw NodeError("padding must be between 0 and 2^24");
    }
    if (x.dim() != 3 || x.size(1) < 1 || x.size(1) % (block[0] * block[1]) != 0)
        throw NodeError(fmt::format("its input is {}, but must be n x (channels x block) x windows",
                                    fmt::join(x.sizes(), " x ")));
    check_numbers({x.size(0), x.size(1) / (block[0] * block[1]), image[0], image[1]});
    return at::col2im(x, image, block, dilations, {pads[0], pads[1]}, strides);
}

}  // namespace

std::span<const OnnxOperator> sampling_operators() {
    static constexpr OnnxOperator table[] = {
        {"GridSample", grid_sample},
        {"AffineGrid", affine_grid},
        {"DeformConv", deform_conv},
        {"Col2Im", columns_to_image},
    };
    return table;
}

}  // namespace assay::torch_plugin
