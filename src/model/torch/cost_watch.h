// Observes a network's execution: every operator that LibTorch dispatches on this thread, with its
// real operands.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <string_view>

#include "assay/model/cost.h"

namespace assay::torch_plugin {

/// While this object exists, dispatched operators belong to one node of a file's graph. It costs
/// almost nothing without an observer. Nested scopes belong to the outermost scope.
class NodeScope {
public:
    /// `integer` means that the node computes on quantized numbers.
    NodeScope(std::string_view name, std::string_view op, bool integer = false);
    ~NodeScope();
    NodeScope(const NodeScope&) = delete;
    NodeScope& operator=(const NodeScope&) = delete;
};

/// Observes the calling thread from construction on; one observer at a time.
///
/// An operator with a rule (cost_rules.h) is counted at its outermost call, and the calls inside it
/// are ignored. An operator without a rule is counted by the calls inside it, and is listed as
/// unknown if it has its own kernel.
///
/// Tensors are identified by their storage: views and in-place results are the same as their base.
/// A storage that occurs before any call made it is a constant. A node's results are the storages
/// that it made and that are used later. Its other storages are ignored.
class OperatorWatch {
public:
    /// `input` is the network's input, an activation that stays in memory until its last use.
    explicit OperatorWatch(const at::Tensor& input);
    ~OperatorWatch();
    OperatorWatch(const OperatorWatch&) = delete;
    OperatorWatch& operator=(const OperatorWatch&) = delete;

    /// Ends the observation. `output` stays in memory to the end. Fills operators, nodes, peak and
    /// notes.
    void finish(const at::Tensor& output, ModelCost& cost);

    class State;

private:
    std::unique_ptr<State> state_;
    std::uint64_t handle_ = 0;
};

}  // namespace assay::torch_plugin
