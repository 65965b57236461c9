// An ONNX node in the words of fused_layer.h.
#pragma once

#include <functional>

#include "model/torch/fused_layer.h"
#include "model/torch/onnx_graph.h"

namespace assay::torch_plugin {

/// `constant(v)`: the tensor of a value that is the same in each run; undefined: it is not. Reads,
/// results and writes are the caller's to add.
DescribedStep described_node(const OnnxNode& node, const std::function<at::Tensor(int)>& constant);

}  // namespace assay::torch_plugin
