#include "model/torch/network_input.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/index_select.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "assay/error.h"

namespace assay::torch_plugin {
namespace {

bool takes_bytes(const Network& network, const ModelSpec& spec) {
    const auto declared = network.declared_type();
    if (declared && spec.input_type &&
        (*declared == at::kByte) != (*spec.input_type == InputType::uint8)) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("the model takes {}, but input_type is {}",
                                *declared == at::kByte ? "bytes (uint8)" : "floats",
                                *spec.input_type == InputType::uint8 ? "uint8" : "float32"));
    }
    const bool bytes = declared ? *declared == at::kByte : spec.input_type == InputType::uint8;
    if (bytes && !resizes_to_bytes(spec.preprocess)) {
        throw Error(ErrorCode::bad_input,
                    "the model takes bytes, but torch_float resizes to floats: pass "
                    "--resize-as torch_rounded");
    }
    return bytes;
}

bool takes_channels_last(const Network& network, const ModelSpec& spec, std::int64_t channels) {
    const auto declared = network.declared_input();
    const bool last = declared && (*declared)[3] == channels && (*declared)[1] != channels;
    const bool first = declared && (*declared)[1] == channels && (*declared)[3] != channels;
    if ((last && spec.layout == InputLayout::nchw) || (first && spec.layout == InputLayout::nhwc)) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("the model takes images of {} x {} x {}, but layout is {}",
                                (*declared)[1], (*declared)[2], (*declared)[3],
                                spec.layout == InputLayout::nchw ? "nchw" : "nhwc"));
    }
    return spec.layout ? spec.layout == InputLayout::nhwc : last;
}

at::Tensor on_device(const NetworkCopy& copy, const at::Tensor& pinned) {
    const at::Tensor there =
        at::empty(pinned.sizes(), pinned.options().device(copy.device).pinned_memory(false));
    return there.copy_(pinned, /*non_blocking=*/true);
}

}  // namespace

NetworkCopy::NetworkCopy(c10::Device on, std::unique_ptr<Network> loaded,
                         const Preprocess& preprocess)
    : network(std::move(loaded)), device(on) {
    std::optional<LaneTurn> turn;
    if (!device.is_cpu()) turn.emplace(std::vector{device});
    const auto channels = [&](auto&& value) {
        at::Tensor out = at::empty({1, 3, 1, 1}, at::kFloat);
        for (std::size_t c = 0; c < 3; ++c) out.data_ptr<float>()[c] = static_cast<float>(value(c));
        return out.to(device);
    };
    const Preprocess& p = preprocess;
    byte_std = channels([&](std::size_t c) { return p.std[c] / p.scale; });
    byte_mean = channels([&](std::size_t c) { return p.mean[c] / p.scale; });
    channel_starts = channels([](std::size_t c) { return 256 * c; }).to(at::kInt);
}

NetworkInput::NetworkInput(const Network& network, const ModelSpec& spec)
    : height_(spec.preprocess.height),
      width_(spec.preprocess.width),
      channels_(spec.preprocess.channel_order == ChannelOrder::gray ? 1 : 3),
      bytes_(takes_bytes(network, spec)),
      channels_last_(takes_channels_last(network, spec, channels_)) {}

std::int64_t NetworkInput::declared_batch(const Network& network) const {
    auto declared = network.declared_input();
    if (!declared) return -1;
    if (channels_last_) std::rotate(declared->begin() + 1, declared->end() - 1, declared->end());
    const auto [batch, channels, height, width] = *declared;
    const auto open_or = [](std::int64_t size, std::int64_t wanted) {
        return size < 0 || size == wanted;
    };
    if (channels == 1 && channels_ != 1) throw Error(ErrorCode::bad_input, one_channel_only);
    if (!open_or(channels, channels_) || !open_or(height, height_) || !open_or(width, width_)) {
        const auto text = [](std::int64_t size) {
            return size < 0 ? std::string("any") : std::to_string(size);
        };
        throw Error(
            ErrorCode::bad_input,
            fmt::format("the model takes images of {} x {} x {} (channels, height, "
                        "width), but input_size is [{}, {}, {}]",
                        text(channels), text(height), text(width), channels_, height_, width_));
    }
    return batch;
}

at::Tensor NetworkInput::empty_batch(const NetworkCopy& copy, std::int64_t n) const {
    return at::empty({n, 3, height_, width_}, at::TensorOptions(at::kFloat).device(copy.device),
                     layout_);
}

at::Tensor NetworkInput::own_batch(const NetworkCopy& copy, std::span<const float> input,
                                   std::int64_t rows, std::int64_t size) const {
    // from_blob needs a mutable pointer but does not write.
    const at::Tensor given =
        at::from_blob(const_cast<float*>(input.data()), {rows, 3, height_, width_}, at::kFloat);
    at::Tensor batch = empty_batch(copy, std::max(rows, size));
    batch.narrow(0, 0, rows).copy_(given);
    if (rows < size) batch.narrow(0, rows, size - rows).zero_();
    return batch;
}

at::Tensor NetworkInput::fed(const NetworkCopy& copy, const at::Tensor& batch) const {
    if (!bytes_) return laid_out(batch);
    return laid_out(
        batch.mul(copy.byte_std).add(copy.byte_mean).round().clamp(0, 255).to(at::kByte));
}

at::Tensor NetworkInput::fed_bytes(const NetworkCopy& copy, Lane& lane, const ByteBatch& batch,
                                   std::int64_t rows, std::int64_t size) const {
    const auto count = static_cast<std::int64_t>(batch.pixels.size());
    const at::Tensor pinned = lane.bytes(count);
    std::memcpy(pinned.data_ptr(), batch.pixels.data(), batch.pixels.size());
    const at::Tensor pixels = on_device(copy, pinned).view({rows, 3, height_, width_});
    at::Tensor x = pixels;
    if (!bytes_) {
        const at::Tensor values = lane.values(3 * 256);
        std::memcpy(values.data_ptr(), batch.values->data(), sizeof *batch.values);
        const at::Tensor places = pixels.to(at::kInt).add_(copy.channel_starts);
        x = at::index_select(on_device(copy, values), 0, places.view({-1})).view(pixels.sizes());
    }
    if (rows < size)
        x = at::cat({x, at::empty({size - rows, 3, height_, width_}, x.options()).zero_()});
    return laid_out(x);
}

at::Tensor NetworkInput::laid_out(const at::Tensor& given) const {
    const at::Tensor x = channels_ == 1 ? given.narrow(1, 0, 1).contiguous() : given;
    return channels_last_ ? x.permute({0, 2, 3, 1}).contiguous() : x;
}

}  // namespace assay::torch_plugin
