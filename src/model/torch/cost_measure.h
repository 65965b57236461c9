// Determines the cost of a loaded network: observes one run, then measures other runs.
#pragma once

#include <functional>

#include "assay/model/cost.h"
#include "model/torch/network.h"

namespace assay::torch_plugin {

/// `input` makes a new batch in the network's form for each run, because some models write into
/// their input. The caller must have prepared its thread and its inference mode.
ModelCost cost_of_network(Network& network, const std::function<at::Tensor()>& input,
                          const CostRequest& request);

}  // namespace assay::torch_plugin
