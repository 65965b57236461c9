// The form of a network's images: their size, type, channels and order in memory.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <memory>
#include <span>

#include "assay/model/classifier.h"
#include "model/torch/lanes.h"
#include "model/torch/network.h"

namespace assay::torch_plugin {

inline constexpr const char* one_channel_only =
    "the model takes images of one channel: pass --channel-order gray with --mean and --std, or "
    "write channel_order = \"gray\" into its settings file";

/// A network on one device, with the tensors that convert images to its input.
struct NetworkCopy {
    std::unique_ptr<Network> network;
    c10::Device device;
    at::Tensor byte_std, byte_mean;  ///< 1 x 3 x 1 x 1; turns a normalized number into its byte
    at::Tensor channel_starts;       ///< 1 x 3 x 1 x 1; start of each channel's values in the table
                                     ///< of 3 x 256

    NetworkCopy(c10::Device on, std::unique_ptr<Network> loaded, const Preprocess& preprocess);
};

/// Batches are n x 3 x height x width floats on the copy's device until fed() converts them to the
/// model's form.
class NetworkInput {
public:
    /// From the file and the settings. Throws bad_input if they contradict each other.
    NetworkInput(const Network& network, const ModelSpec& spec);

    /// The batch size that the file declares; below 1 if it is open. Throws bad_input if it
    /// declares other channels or sides than the settings.
    std::int64_t declared_batch(const Network& network) const;

    std::int64_t height() const { return height_; }
    std::int64_t width() const { return width_; }
    /// 1 for gray images, if the model takes the first of three equal channels; otherwise 3.
    std::int64_t channels() const { return channels_; }
    bool bytes() const { return bytes_; }
    bool channels_last() const { return channels_last_; }
    /// The count of numbers in one image as callers give it.
    std::size_t image_size() const { return 3 * static_cast<std::size_t>(height_ * width_); }
    at::MemoryFormat layout() const { return layout_; }
    void set_layout(at::MemoryFormat layout) { layout_ = layout; }

    at::Tensor empty_batch(const NetworkCopy& copy, std::int64_t n) const;
    /// A separate batch for the model, because some models write into their input. Padded with
    /// zeros to `size` images if it has fewer.
    at::Tensor own_batch(const NetworkCopy& copy, std::span<const float> input, std::int64_t rows,
                         std::int64_t size) const;
    /// The batch in the model's form.
    at::Tensor fed(const NetworkCopy& copy, const at::Tensor& batch) const;
    /// Copies the bytes to the device and converts them to the model's form, padded as above.
    /// Looks their numbers up in the table of the preprocessing, so that no division's rounding
    /// matters.
    at::Tensor fed_bytes(const NetworkCopy& copy, Lane& lane, const ByteBatch& batch,
                         std::int64_t rows, std::int64_t size) const;

private:
    at::Tensor laid_out(const at::Tensor& given) const;

    std::int64_t height_;
    std::int64_t width_;
    std::int64_t channels_;
    bool bytes_;
    bool channels_last_;
    at::MemoryFormat layout_ = at::MemoryFormat::Contiguous;
};

}  // namespace assay::torch_plugin
