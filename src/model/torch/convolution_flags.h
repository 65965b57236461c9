// How a traced model's convolutions are computed on a graphics processor.
#pragma once

#include <torch/csrc/jit/ir/ir.h>

namespace assay::torch_plugin {

/// A trace holds the flags of cuDNN that its exporter had (PyTorch's default lets float32 be cut to
/// TF32), and they go before those of the process. Afterwards `block` has this process's. On a
/// processor they change nothing.
void take_own_convolution_flags(torch::jit::Block* block);

}  // namespace assay::torch_plugin
