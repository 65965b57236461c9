// Describes an ONNX node with the types of fused_layer.h.
#pragma once

#include <functional>

#include "model/torch/fused_layer.h"
#include "model/torch/onnx_graph.h"

namespace assay::torch_plugin {

/// `constant(v)` returns the tensor of value v if it is the same in each run, or else an undefined
/// tensor. The caller adds reads, results and writes.
DescribedStep described_node(const OnnxNode& node, const std::function<at::Tensor(int)>& constant);

}  // namespace assay::torch_plugin
