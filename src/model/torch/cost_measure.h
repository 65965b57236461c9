// The cost of a loaded network: observed once, then measured.
#pragma once

#include <functional>

#include "assay/model/cost.h"
#include "model/torch/network.h"

namespace assay::torch_plugin {

/// `input` makes a new batch for each run in the network's form, because some models write into it.
/// The caller must have prepared its thread and its inference mode.
ModelCost cost_of_network(Network& network, const std::function<at::Tensor()>& input,
                          const CostRequest& request);

}  // namespace assay::torch_plugin
