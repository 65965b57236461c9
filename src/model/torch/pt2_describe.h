// Describes a call of torch.export's graph with the types of fused_layer.h.
#pragma once

#include <functional>
#include <string>

#include "model/torch/fused_layer.h"
#include "model/torch/pt2_call.h"

namespace assay::torch_plugin {

/// `constant(v)` returns the tensor of value v if it is the same in each run, or else an undefined
/// tensor. The caller adds reads, results and writes.
DescribedStep described_call(const std::string& qualified, const Pt2Call& call,
                             const std::function<at::Tensor(int)>& constant);

}  // namespace assay::torch_plugin
