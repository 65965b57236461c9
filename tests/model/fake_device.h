// Devices that are none: LibTorch's private backend, whose memory is the program's and whose
// operators are the processor's. Copies that need not be waited for happen late, as on a graphics
// processor, so that whoever does not wait reads nonsense.
#pragma once

#include <c10/core/Device.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

namespace assay::fake_device {

inline constexpr int kDevices = 3;

inline c10::Device device(int number) {
    return {c10::DeviceType::PrivateUse1, static_cast<c10::DeviceIndex>(number)};
}

/// What was done since reset().
struct Seen {
    std::set<int> devices;                ///< that operators ran on
    std::set<std::int64_t> streams;       ///< that they ran on, of all devices
    std::uint64_t late_copies = 0;        ///< that need not be waited for
    std::uint64_t on_default_stream = 0;  ///< operators
    std::uint64_t elsewhere = 0;    ///< operators on tensors of another than the thread's device
    std::uint64_t overwritten = 0;  ///< sources that changed while they were copied
    int most_at_once = 0;           ///< threads in operators of one device
    std::uint64_t out_of_memory = 0;
    std::size_t most_bytes = 0;  ///< given out on one device at a time
};

/// Forgets what was seen; no limits, no failures.
void reset();
Seen seen();

/// Bytes of each device; more are refused as CUDA refuses them.
void limit_memory(std::size_t bytes);
/// The next call of the operator ("aten::mean") throws.
void fail_once(const std::string& op);

}  // namespace assay::fake_device
