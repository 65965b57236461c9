// What a loaded network costs: watched once, then measured.
#pragma once

#include <functional>

#include "assay/model/cost.h"
#include "model/torch/network.h"

namespace assay::torch_plugin {

/// `input` makes a batch as the network takes it, anew for each run: some models write into it.
/// The caller has set up its thread and its inference mode.
ModelCost cost_of_network(Network& network, const std::function<at::Tensor()>& input,
                          const CostRequest& request);

}  // namespace assay::torch_plugin
