// Chooses the CUDA devices for a process. This header does not depend on LibTorch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace assay {

struct DeviceChoice {
    std::vector<int> numbers;        ///< numbers of CUDA devices, ascending; empty means the
                                     ///< processor
    std::string type;                ///< the devices' name, "" if not known
    std::vector<std::string> notes;  ///< sentences without a full stop
};

/// `wanted` is as in ClassifierOptions::device. `visible` has the names of the devices in order, ""
/// if not known. Devices with different names give different last bits, so a choice has only one
/// name: "cuda" and "auto" skip devices that differ from the first. The devices are assigned to
/// `processes` in turn; if there are fewer, process p gets device p modulo their number.
/// `framework` is for messages. Throws usage for an unknown word, an unknown or repeated number,
/// devices with different names, or no device.
DeviceChoice choose_devices(const std::string& wanted, const std::vector<std::string>& visible,
                            std::uint32_t process, std::uint32_t processes,
                            const std::string& framework);

}  // namespace assay
