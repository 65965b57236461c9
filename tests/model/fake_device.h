// Fake devices: LibTorch's private backend with the memory of the program and the operators of the
// processor. Asynchronous copies happen late, as on a graphics processor. So code that does not
// wait reads wrong numbers.
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

/// Counts of events since reset().
struct Seen {
    std::set<int> devices;                ///< devices that operators ran on
    std::set<std::int64_t> streams;       ///< streams that operators ran on, on all devices
    std::uint64_t late_copies = 0;        ///< asynchronous copies
    std::uint64_t on_default_stream = 0;  ///< operators
    std::uint64_t elsewhere = 0;    ///< operators on tensors of a device other than the thread's
    std::uint64_t overwritten = 0;  ///< sources that changed while they were copied
    int most_at_once = 0;           ///< threads in operators of one device
    std::uint64_t out_of_memory = 0;
    std::size_t most_bytes = 0;  ///< memory in use on one device at a time
};

/// Clears the events, the limits and the failures.
void reset();
Seen seen();

/// Memory of each device in bytes. Larger allocations fail as on CUDA.
void limit_memory(std::size_t bytes);
/// The next call of the operator (such as "aten::mean") throws.
void fail_once(const std::string& op);

}  // namespace assay::fake_device
