// What LibTorch's generic interface does not tell of CUDA devices. Everything is asked for at run
// time: the same code compiles without CUDA.
#pragma once

#include <string>
#include <vector>

namespace assay::torch_plugin {

/// "NVIDIA H100 80GB HBM3", ... in LibTorch's order, as the driver names them; "" where it does
/// not say. Empty: LibTorch finds none.
std::vector<std::string> cuda_device_names();

/// "CUDA 12.4, cuDNN 9.1.0": what LibTorch was built with.
std::string cuda_libraries();

}  // namespace assay::torch_plugin
