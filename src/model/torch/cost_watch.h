// Watches what a network executes: every operator that LibTorch dispatches on this thread, with its
// real operands.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <string_view>

#include "assay/model/cost.h"

namespace assay::torch_plugin {

/// What is dispatched while it stands belongs to one node of a file's graph. Costs next to nothing
/// where nobody watches. Inner ones belong to the outermost.
class NodeScope {
public:
    /// `integer`: it computes on quantised numbers.
    NodeScope(std::string_view name, std::string_view op, bool integer = false);
    ~NodeScope();
    NodeScope(const NodeScope&) = delete;
    NodeScope& operator=(const NodeScope&) = delete;
};

/// Watches the calling thread from its construction on; one at a time.
///
/// An operator with a rule (cost_rules.h) is counted where it is called first, and what it calls
/// itself is not looked at; one without is counted by what it calls, and is listed as unknown where
/// it has a kernel of its own.
///
/// Tensors are known by their storage: views and results in place are their base, and a storage
/// that is met before anything has made it is a constant. A node's results are what it made and
/// what lives on after it; what else it made is its own affair.
class OperatorWatch {
public:
    /// `input`: what the network is given; an activation that lives until its last use.
    explicit OperatorWatch(const at::Tensor& input);
    ~OperatorWatch();
    OperatorWatch(const OperatorWatch&) = delete;
    OperatorWatch& operator=(const OperatorWatch&) = delete;

    /// Ends the watch. `output` lives to the end. Fills operators, nodes, peak and notes.
    void finish(const at::Tensor& output, ModelCost& cost);

    class State;

private:
    std::unique_ptr<State> state_;
    std::uint64_t handle_ = 0;
};

}  // namespace assay::torch_plugin
