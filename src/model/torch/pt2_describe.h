// A call of torch.export's graph in the words of fused_layer.h.
#pragma once

#include <functional>
#include <string>

#include "model/torch/fused_layer.h"
#include "model/torch/pt2_call.h"

namespace assay::torch_plugin {

/// `constant(v)`: the tensor of a value that is the same in each run; undefined: it is not. Reads,
/// results and writes are the caller's to add.
DescribedStep described_call(const std::string& qualified, const Pt2Call& call,
                             const std::function<at::Tensor(int)>& constant);

}  // namespace assay::torch_plugin
