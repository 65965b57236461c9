// Turns on devices. A device has two lanes, so that one batch is copied while another is computed;
// a lane belongs to one thread at a time, from the batch's bytes to its scores. Devices are reached
// by LibTorch's generic interface alone: the same code compiles without CUDA.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/Stream.h>
#include <c10/core/StreamGuard.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace assay::torch_plugin {

inline constexpr std::uint32_t kLanesOfDevice = 2;

/// A stream of a device, and host memory that it copies from and to: pinned, where the device is
/// CUDA's, and kept for the next batch.
class Lane {
public:
    explicit Lane(c10::Device device);

    const c10::Stream& stream() const { return stream_; }
    /// Bytes, and floats, whose last copy from or to the device has been waited for.
    at::Tensor bytes(std::int64_t count) { return part_of(bytes_, count, at::kByte); }
    at::Tensor values(std::int64_t count) { return part_of(values_, count, at::kFloat); }
    at::Tensor scores(std::int64_t count) { return part_of(scores_, count, at::kFloat); }

private:
    at::Tensor part_of(at::Tensor& kept, std::int64_t count, at::ScalarType type) const;

    c10::Stream stream_;
    at::Tensor bytes_, values_, scores_;
};

/// Held by a thread while it computes on a device; what it calls meanwhile goes to the lane's
/// stream. At its end all that it gave the stream is done, whatever was thrown.
class LaneTurn {
public:
    /// Waits for a lane of one of them, of the least busy first.
    explicit LaneTurn(const std::vector<c10::Device>& devices);
    /// Waits until nobody else computes on the device, and keeps others from it.
    static LaneTurn alone_on(c10::Device device) { return LaneTurn({device}, true); }
    /// Threads of this process that wait for a turn.
    static std::size_t waiting();
    ~LaneTurn();
    LaneTurn(const LaneTurn&) = delete;
    LaneTurn& operator=(const LaneTurn&) = delete;

    c10::Device device() const { return lane_->stream().device(); }
    Lane& lane() { return *lane_; }
    /// Sleeps until the device has done all that it was given.
    void wait() const;

private:
    LaneTurn(const std::vector<c10::Device>& devices, bool alone);

    bool alone_;
    std::unique_ptr<Lane> lane_;
    std::optional<c10::StreamGuard> guard_;
};

}  // namespace assay::torch_plugin
