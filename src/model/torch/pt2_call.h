// Calls an operator by its schema: finds the operator for a file's name, and converts the file's
// arguments to the operator's types.
#pragma once

#include <ATen/core/ivalue.h>
#include <c10/core/Device.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/pt2/program.h"
#include "model/torch/network.h"
#include "model/torch/step_graph.h"

namespace assay::torch_plugin {

at::ScalarType scalar_type_of(pt2::NumberType type);
bool is_half_precision(pt2::NumberType type);

/// An argument: a constant, a value of the run, or a list of these.
class Pt2Feed {
public:
    /// `places` maps the graph's values to indices in the run. Throws bad_input for an unsupported
    /// kind.
    Pt2Feed(const pt2::Argument& argument, std::span<const int> places, const ComputeOn& where);
    explicit Pt2Feed(c10::IValue constant) : fixed_(std::move(constant)) {}

    /// The argument as in the file.
    c10::IValue plain(const GraphValues& values) const;
    /// The argument in the operator's type. If required, numbers become tensors, integers become
    /// floats, and one number becomes a list. Throws bad_input if it does not fit.
    c10::IValue fitted(const GraphValues& values, const c10::Argument& wanted) const;
    /// The constant, if the argument is one.
    const c10::IValue* constant() const { return value_ < 0 && !is_list_ ? &fixed_ : nullptr; }
    void add_values(std::vector<int>& out) const;

private:
    c10::IValue fixed_;
    int value_ = -1;
    bool is_list_ = false;
    std::vector<Pt2Feed> items_;
};

/// An operator with one feed for each argument of its schema.
struct Pt2Call {
    std::shared_ptr<torch::jit::Operator> op;
    /// Its signature is not const, but the TorchScript interpreter also calls an operator from many
    /// threads.
    mutable torch::jit::Operation run;
    std::vector<Pt2Feed> feeds;

    /// Returns nullptr if the schema has no such argument.
    const Pt2Feed* feed(std::string_view argument) const;
};

/// The parts of "torch.ops.aten.conv2d.default"; nothing if the target is no operator.
struct Pt2OperatorName {
    std::string qualified;  ///< "aten::conv2d"
    std::string overload;   ///< "" for "default"
};
std::optional<Pt2OperatorName> operator_name_of(const std::string& target);

/// True if this LibTorch has the operator, or the plug-in defines it.
bool is_known_operator(const Pt2OperatorName& name);

/// Throws bad_input if no overload accepts the node's arguments.
Pt2Call prepare_call(const Pt2OperatorName& name, const pt2::Node& node,
                     std::span<const int> places, const ComputeOn& where);

}  // namespace assay::torch_plugin
