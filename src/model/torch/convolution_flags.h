// Controls how a traced model's convolutions are computed on a GPU.
#pragma once

#include <torch/csrc/jit/ir/ir.h>

namespace assay::torch_plugin {

/// A trace contains its exporter's cuDNN flags (PyTorch's default allows TF32 for float32), which
/// override those of the process. This sets the process's flags in `block`. They have no effect on
/// a CPU.
void take_own_convolution_flags(torch::jit::Block* block);

}  // namespace assay::torch_plugin
