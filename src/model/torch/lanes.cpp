#include "model/torch/lanes.h"

#include <ATen/ops/empty.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

namespace assay::torch_plugin {
namespace {

/// The lanes of all devices that this process uses. Its classifiers share them.
class LanePool {
public:
    std::unique_ptr<Lane> take(const std::vector<c10::Device>& devices, bool alone) {
        std::unique_lock lock(mutex_);
        if (alone) {
            DeviceLanes& only = lanes_of(devices.front());
            ++only.alone;
            wait(lock, [&] { return only.busy == 0; });
            try {
                return taken(only, kLanesOfDevice);
            } catch (...) {
                --only.alone;
                freed_.notify_all();
                throw;
            }
        }
        DeviceLanes* least = nullptr;
        wait(lock, [&] {
            least = nullptr;
            for (const c10::Device device : devices) {
                DeviceLanes& lanes = lanes_of(device);
                if (lanes.alone > 0 || lanes.busy >= kLanesOfDevice) continue;
                if (least == nullptr || lanes.busy < least->busy) least = &lanes;
            }
            return least != nullptr;
        });
        return taken(*least, 1);
    }

    std::size_t waiting() {
        const std::scoped_lock lock(mutex_);
        return waiting_;
    }

    void give_back(std::unique_ptr<Lane> lane, bool alone) {
        const std::scoped_lock lock(mutex_);
        DeviceLanes& lanes = lanes_of(lane->stream().device());
        lanes.busy -= alone ? kLanesOfDevice : 1;
        if (alone) --lanes.alone;
        lanes.free.push_back(std::move(lane));
        freed_.notify_all();
    }

private:
    struct DeviceLanes {
        c10::Device device;
        std::vector<std::unique_ptr<Lane>> free;
        std::uint32_t busy = 0;
        std::uint32_t alone = 0;  ///< threads that are alone, or wait to be alone
    };

    template <class May>
    void wait(std::unique_lock<std::mutex>& lock, May may) {
        ++waiting_;
        freed_.wait(lock, may);
        --waiting_;
    }

    DeviceLanes& lanes_of(c10::Device device) {
        const auto known = std::ranges::find(all_, device, &DeviceLanes::device);
        if (known != all_.end()) return *known;
        return all_.emplace_back(DeviceLanes{device, {}});
    }

    static std::unique_ptr<Lane> taken(DeviceLanes& lanes, std::uint32_t count) {
        std::unique_ptr<Lane> lane;
        if (lanes.free.empty()) {
            lane = std::make_unique<Lane>(lanes.device);
        } else {
            lane = std::move(lanes.free.back());
            lanes.free.pop_back();
        }
        lanes.busy += count;
        return lane;
    }

    std::mutex mutex_;
    std::condition_variable freed_;
    std::size_t waiting_ = 0;
    std::deque<DeviceLanes> all_;  ///< a deque, so that addresses do not change
};

/// The object is never destroyed, because pinned memory must not be freed after the driver's
/// shutdown at exit.
LanePool& lane_pool() {
    static auto* pool = new LanePool;
    return *pool;
}

}  // namespace

Lane::Lane(c10::Device device)
    : stream_(c10::impl::VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device, false)) {}

at::Tensor Lane::part_of(at::Tensor& kept, std::int64_t count, at::ScalarType type) const {
    if (!kept.defined() || kept.numel() < count) {
        // A tensor outside inference mode, because every mode writes to it.
        const c10::InferenceMode usual(false);
        kept = at::Tensor();
        kept =
            at::empty({count}, at::TensorOptions(type).pinned_memory(stream_.device().is_cuda()));
    }
    return kept.narrow(0, 0, count);
}

std::size_t LaneTurn::waiting() {
    return lane_pool().waiting();
}

LaneTurn::LaneTurn(const std::vector<c10::Device>& devices) : LaneTurn(devices, false) {}

LaneTurn::LaneTurn(const std::vector<c10::Device>& devices, bool alone)
    : alone_(alone), lane_(lane_pool().take(devices, alone)) {
    try {
        guard_.emplace(lane_->stream());
    } catch (...) {
        lane_pool().give_back(std::move(lane_), alone_);
        throw;
    }
}

LaneTurn::~LaneTurn() {
    try {
        wait();
    } catch (...) {
        // A failed device completes no more work, and its next user gets the error.
    }
    guard_.reset();
    lane_pool().give_back(std::move(lane_), alone_);
}

void LaneTurn::wait() const {
    // LibTorch's own wait would keep a core busy.
    std::chrono::microseconds pause(20);
    while (!lane_->stream().query()) {
        std::this_thread::sleep_for(pause);
        pause = std::min(2 * pause, std::chrono::microseconds(320));
    }
}

}  // namespace assay::torch_plugin
