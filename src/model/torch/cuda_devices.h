// Facts about CUDA devices that LibTorch's generic interface does not provide. Everything is looked
// up at run time, so that the same code compiles without CUDA.
#pragma once

#include <string>
#include <vector>

namespace assay::torch_plugin {

/// "NVIDIA H100 80GB HBM3", ... in LibTorch's order, with the driver's names; "" if it gives none.
/// Empty if LibTorch finds no device.
std::vector<std::string> cuda_device_names();

/// "CUDA 12.4, cuDNN 9.1.0": the versions with which LibTorch was built.
std::string cuda_libraries();

}  // namespace assay::torch_plugin
