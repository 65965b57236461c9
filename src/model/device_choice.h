// Which of a machine's CUDA devices a process computes on. Nothing of LibTorch stands here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace assay {

struct DeviceChoice {
    std::vector<int> numbers;        ///< of CUDA devices, ascending; empty: the processor
    std::string type;                ///< their name, "" where it is not known
    std::vector<std::string> notes;  ///< whole sentences without a full stop
};

/// `wanted` as in ClassifierOptions::device. `visible`: the names of the devices in their order, ""
/// where one is not known. Devices of different names give different last bits, so that all of a
/// choice have one: "cuda" and "auto" leave those out that differ from the first. The devices are
/// dealt out to `processes` in turn; where there are fewer, process p has device p modulo their
/// number. `framework` is for messages. Throws usage: an unknown word, a number that no device has
/// or that stands twice, devices of several names, none at all.
DeviceChoice choose_devices(const std::string& wanted, const std::vector<std::string>& visible,
                            std::uint32_t process, std::uint32_t processes,
                            const std::string& framework);

}  // namespace assay
