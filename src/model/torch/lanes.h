// Scheduling on devices. Each device has two lanes, so that one batch is copied while another is
// computed. A thread holds a lane from a batch's bytes to its scores. Devices are only accessed
// through LibTorch's generic interface, so the same code compiles without CUDA.
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

/// A stream of a device, and host memory for copies to and from it. The memory is pinned for CUDA
/// devices, and reused for the next batch.
class Lane {
public:
    explicit Lane(c10::Device device);

    const c10::Stream& stream() const { return stream_; }
    /// Bytes and floats whose last copy to or from the device is complete.
    at::Tensor bytes(std::int64_t count) { return part_of(bytes_, count, at::kByte); }
    at::Tensor values(std::int64_t count) { return part_of(values_, count, at::kFloat); }
    at::Tensor scores(std::int64_t count) { return part_of(scores_, count, at::kFloat); }

private:
    at::Tensor part_of(at::Tensor& kept, std::int64_t count, at::ScalarType type) const;

    c10::Stream stream_;
    at::Tensor bytes_, values_, scores_;
};

/// A thread holds this object while it computes on a device. Its calls go to the lane's stream. On
/// destruction, all work on the stream is complete, even after an exception.
class LaneTurn {
public:
    /// Waits for a lane of one of the devices, trying the least busy first.
    explicit LaneTurn(const std::vector<c10::Device>& devices);
    /// Waits until no other thread computes on the device, and makes others wait.
    static LaneTurn alone_on(c10::Device device) { return LaneTurn({device}, true); }
    /// The number of threads in this process that are waiting for a turn.
    static std::size_t waiting();
    ~LaneTurn();
    LaneTurn(const LaneTurn&) = delete;
    LaneTurn& operator=(const LaneTurn&) = delete;

    c10::Device device() const { return lane_->stream().device(); }
    Lane& lane() { return *lane_; }
    /// Sleeps until the device has completed all its work.
    void wait() const;

private:
    LaneTurn(const std::vector<c10::Device>& devices, bool alone);

    bool alone_;
    std::unique_ptr<Lane> lane_;
    std::optional<c10::StreamGuard> guard_;
};

}  // namespace assay::torch_plugin
