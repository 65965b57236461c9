// Converts an archive of torch.export to the steps that compute its scores.
#pragma once

#include <string>
#include <vector>

#include "model/pt2/package.h"
#include "model/torch/network.h"
#include "model/torch/pt2_call.h"
#include "model/torch/pt2_step.h"
#include "model/torch/step_graph.h"

namespace assay::torch_plugin {

/// A program as steps. The steps of inner graphs replace the calls with these graphs, and all
/// values share one numbering.
struct Pt2Steps {
    StepGraph<Pt2Step> graph;
    std::vector<Pt2Feed> outputs;
    std::vector<std::string> notes;
    int image = -1;          ///< the value that takes the batch
    std::vector<int> fresh;  ///< constants that a run changes, so that they are copied first
    bool copies_image = false;
    bool needs_contiguous = false;
    bool fused = false;  ///< true if several steps are computed as one, which only `fuse` allows
};

/// Throws bad_input for an unsupported operator or kind of argument, a model in training mode, or a
/// missing tensor.
Pt2Steps build_steps(const pt2::Package& package, const ComputeOn& where, bool fuse);

}  // namespace assay::torch_plugin
