// Facts about CUDA devices that LibTorch's generic interface does not provide. Everything is looked
// up at run time, so that the same code compiles without CUDA.
#pragma once

#include <string>
#include <vector>

namespace assay::torch_plugin {

/// The driver's names in LibTorch's order: "NVIDIA H100 80GB HBM3", ...; "" for an unknown name.
/// Empty if LibTorch finds no device.
std::vector<std::string> cuda_device_names();

/// The versions with which LibTorch was built: "CUDA 12.4, cuDNN 9.1.0".
std::string cuda_libraries();

}  // namespace assay::torch_plugin
