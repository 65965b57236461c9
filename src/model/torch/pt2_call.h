// One call of an operator by its schema: which operator a file's name means, and how arguments that
// a file names become the values that the operator wants.
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

/// An argument: a constant, a value of the run, or a list of such.
class Pt2Feed {
public:
    /// `places`: the run's numbers of the graph's values. Throws bad_input: a kind that is not
    /// supported.
    Pt2Feed(const pt2::Argument& argument, std::span<const int> places, const ComputeOn& where);
    explicit Pt2Feed(c10::IValue constant) : fixed_(std::move(constant)) {}

    /// As the file has it.
    c10::IValue plain(const GraphValues& values) const;
    /// As an operator wants it: numbers become tensors where tensors are wanted, whole numbers
    /// floats, one number a list. Throws bad_input when it does not fit.
    c10::IValue fitted(const GraphValues& values, const c10::Argument& wanted) const;
    /// The constant that it is, if it is one.
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
    /// Not const by its signature; the interpreter of TorchScript calls one from many threads too.
    mutable torch::jit::Operation run;
    std::vector<Pt2Feed> feeds;

    /// nullptr when the schema has no such argument.
    const Pt2Feed* feed(std::string_view argument) const;
};

/// "torch.ops.aten.conv2d.default" taken apart; nothing when the target is no operator's.
struct Pt2OperatorName {
    std::string qualified;  ///< "aten::conv2d"
    std::string overload;   ///< "" for "default"
};
std::optional<Pt2OperatorName> operator_name_of(const std::string& target);

/// This LibTorch has it, or the plug-in defines it.
bool is_known_operator(const Pt2OperatorName& name);

/// Throws bad_input, where no overload takes the arguments that the node gives.
Pt2Call prepare_call(const Pt2OperatorName& name, const pt2::Node& node,
                     std::span<const int> places, const ComputeOn& where);

}  // namespace assay::torch_plugin
