// Devices beside the processor, through LibTorch's generic interface alone: no header of CUDA, so that it compiles everywhere
// and runs on whatever kind of device a LibTorch was built for.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <c10/core/Stream.h>

#include "assay/model/classifier.h"

namespace assay::torch_plugin {

/// What `--device` names: the processor, or one or several devices of one kind, which share the
/// work. `notes`: devices that were left out, and why.
struct ChosenDevices {
    std::vector<c10::Device> devices;
    std::string name;  ///< of the processor "cpu", else of the kind: "NVIDIA H100 80GB HBM3", "cuda"
    std::vector<std::string> notes;
};
/// "auto", "cpu", "cuda", "cuda:1", "cuda:0,2", and the same of other types of LibTorch ("xpu").
/// Without numbers all devices of the first one's kind; where processes share the machine
/// (`options.processes` > 1), the one of this process. Throws usage.
ChosenDevices devices_named(const ClassifierOptions& options);

/// Products of CUDA devices in this precision, for all models of the process. Throws usage where
/// another was set already.
void compute_in(Precision precision, const ChosenDevices& chosen);

/// A place for one batch at a time on its way to a device, through a network there, and back: its
/// stream, and memory of the processor that the device reads by itself (pinned), used again and
/// again.
struct Lane {
    Lane(c10::Device on, std::size_t copy);

    c10::Device device;
    std::size_t copy;                   ///< which of the network's copies
    std::optional<c10::Stream> stream;  ///< none: the device has no streams
    at::Tensor bytes, scores;           ///< pinned, as large as the largest batch so far

    /// The first `count` numbers of memory that the device reads by itself.
    at::Tensor pinned(at::Tensor& memory, std::int64_t count, at::ScalarType type) const;
    /// Runs `work` with the device and the stream current.
    void within(const std::function<void()>& work) const;
    /// Waits until all that the stream was given is done, without keeping a core busy.
    void wait() const;
};

/// Two for each device: while one's batch is computed, the other's is copied.
class Lanes {
public:
    static constexpr std::size_t of_a_device = 2;

    explicit Lanes(const std::vector<c10::Device>& devices);
    /// Runs `work` on a lane that is free, after waiting for one. What `work` leaves behind is done
    /// before the next one has the lane, whether it throws or not.
    void run(const std::function<void(Lane&)>& work);

private:
    std::vector<std::unique_ptr<Lane>> lanes_;
    std::mutex mutex_;
    std::condition_variable freed_;
    std::deque<Lane*> free_;  ///< the one that waits longest in front
};

}  // namespace assay::torch_plugin
