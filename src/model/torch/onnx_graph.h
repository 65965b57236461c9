// A parsed ONNX graph as plain values, without protobuf. It connects the parser (onnx_parse.cpp),
// the operators (onnx_ops_*.cpp) and the interpreter (onnx.cpp).
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "assay/model/cost.h"
#include "model/graph_node.h"

namespace assay::torch_plugin {

using Ints = std::vector<std::int64_t>;

/// An operator's complaint about its input. The interpreter adds the node.
class NodeError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// What to type if the file is valid and only Assay's own runtime cannot run it.
inline constexpr char by_onnx_runtime[] =
    "to run the model with ONNX Runtime, type `pip install onnxruntime` and add --runtime "
    "onnxruntime";

/// A part of the standard that Assay's own runtime lacks. The message ends with what to type.
class NotSupported : public NodeError {
public:
    explicit NotSupported(const std::string& what) : NodeError(what + "; " + by_onnx_runtime) {}
};

struct OnnxAttribute {
    std::string name;
    std::variant<std::int64_t, double, std::string, Ints, std::vector<double>, at::Tensor,
                 std::vector<std::string>>
        value;
};

struct OnnxNode;

/// A graph inside a node (a branch of an If, the body of a Loop). It may read values of the outer
/// graph.
struct OnnxBlock {
    std::string name;         ///< name of the attribute: "then_branch"
    std::vector<int> inputs;  ///< inputs of a body: the round, the condition, the carried values
    std::vector<OnnxNode> nodes;
    std::vector<int> outputs;
};

/// The operator, with its domain unless it is ONNX's own: "Conv", "com.microsoft::Gelu".
struct OnnxNode : GraphNode {
    std::vector<int> inputs;   ///< numbers of values; -1 for omitted ones
    std::vector<int> outputs;  ///< the same
    std::vector<OnnxAttribute> attributes;
    std::vector<OnnxBlock> blocks;
    std::int64_t opset = 0;  ///< opset of the graph or of the function that contains it

    /// For needed_nodes(). Nodes change no values in place. Values that a node's blocks read count
    /// as its reads.
    bool changes_values() const { return false; }
    template <class Visit>
    void for_each_result(Visit&& visit) const {
        for (const int v : outputs) visit(v);
    }
    template <class Visit>
    void for_each_read(Visit&& visit) const {
        for (const int v : inputs) visit(v);
        for (const OnnxBlock& block : blocks) {
            for (const OnnxNode& inner : block.nodes) inner.for_each_read(visit);
            for (const int v : block.outputs) visit(v);
        }
    }
};

/// The newest operator definitions that this code implements.
inline constexpr std::int64_t kNewestOpset = 25;

struct OnnxGraph {
    std::vector<std::string> names;     ///< names of the values
    std::vector<at::Tensor> constants;  ///< tensors by value; undefined if not constant
    std::vector<OnnxNode> nodes;        ///< each after the nodes on which it depends
    int input = -1;
    std::optional<std::array<std::int64_t, 4>> input_shape;  ///< as declared; -1 means any size
    at::ScalarType input_type = at::kFloat;
    at::ScalarType weight_type = at::kFloat;  ///< or the half precision that some weights have
    std::vector<int> outputs;
    WeightCost weights;
    bool one_at_a_time = false;      ///< images in one batch would change each other's scores
    std::vector<std::string> notes;  ///< remarks for the user on how the file is run
    std::vector<std::filesystem::path> data_files;  ///< files with tensors, sorted
};

/// Reads and checks a file: sizes, types, order of nodes. Throws Error.
OnnxGraph parse_onnx(const std::filesystem::path& path);
/// Its parameters and buffers. parse_onnx() provides the counts.
WeightCost count_onnx_weights(const OnnxGraph& graph);

/// One run of one node.
class OnnxCall {
public:
    /// `folding` means that its inputs do not depend on the image.
    OnnxCall(const OnnxNode& node, std::span<const at::Tensor> inputs, bool folding = false)
        : node_(node), inputs_(inputs), folding_(folding) {}

    std::int64_t opset() const { return node_.opset; }
    bool folding() const { return folding_; }
    std::size_t count() const { return inputs_.size(); }
    bool has(std::size_t i) const { return i < inputs_.size() && inputs_[i].defined(); }
    const at::Tensor& in(std::size_t i) const;
    /// Returns an undefined tensor for an omitted input.
    at::Tensor in_or_none(std::size_t i) const { return has(i) ? inputs_[i] : at::Tensor(); }
    /// An input with integers (a shape, axes, ...).
    Ints ints_in(std::size_t i) const;

    bool has_attribute(std::string_view name) const { return find(name) != nullptr; }
    std::int64_t integer(std::string_view name, std::int64_t fallback) const;
    std::int64_t integer(std::string_view name) const;  ///< throws if the attribute is missing
    double real(std::string_view name, double fallback) const;
    std::string text(std::string_view name, std::string_view fallback) const;
    Ints integers(std::string_view name, Ints fallback = {}) const;
    std::vector<double> reals(std::string_view name) const;
    std::vector<std::string> texts(std::string_view name) const;
    at::Tensor tensor(std::string_view name) const;
    /// Axes and similar lists: an attribute in old opsets, input `i` in new ones. No value if they
    /// are omitted.
    std::optional<Ints> ints_of(std::string_view attribute, std::size_t i) const;

    /// Runs another operator with this node's attributes: the operation of a quantized operator
    /// between its scales.
    at::Tensor as(std::string_view op, std::span<const at::Tensor> inputs) const;

    const std::string& op() const { return node_.op; }
    std::size_t outputs() const { return node_.outputs.size(); }
    /// True if some node reads output `i`.
    bool wants(std::size_t i) const { return i < node_.outputs.size() && node_.outputs[i] >= 0; }

    /// For nodes of an opset newer than this code. An attribute that the operator did not look up
    /// is unknown to it.
    void check_attributes() const;

private:
    const OnnxAttribute* find(std::string_view name) const;

    const OnnxNode& node_;
    std::span<const at::Tensor> inputs_;
    bool folding_;
    mutable std::vector<std::string_view> asked_;  ///< attributes that the operator looked for
};

using Tensors = std::vector<at::Tensor>;

/// An operator. Exactly one of the two functions is set.
struct OnnxOperator {
    std::string_view name;
    at::Tensor (*one)(const OnnxCall& call) = nullptr;
    Tensors (*many)(const OnnxCall& call) = nullptr;
};

// The operator families. Together they are the table of supported operators.
std::span<const OnnxOperator> elementwise_operators();
std::span<const OnnxOperator> activation_operators();
std::span<const OnnxOperator> layer_operators();
std::span<const OnnxOperator> pool_operators();
std::span<const OnnxOperator> sampling_operators();
std::span<const OnnxOperator> reduce_operators();
std::span<const OnnxOperator> shape_operators();
std::span<const OnnxOperator> index_operators();
std::span<const OnnxOperator> resize_operators();
std::span<const OnnxOperator> recurrent_operators();
std::span<const OnnxOperator> quantised_operators();
std::span<const OnnxOperator> fused_operators();
const OnnxOperator* find_onnx_operator(std::string_view name);

// Helpers that several families use.
// Converts an axis from -rank..rank-1 to 0..rank-1.
std::int64_t axis_in(std::int64_t axis, std::int64_t rank);
/// Refuses results that only a damaged or hostile file requests (over 2^31 numbers).
void check_numbers(c10::IntArrayRef sizes);
/// Integers as an int64 tensor, which is the form of ONNX's shapes.
at::Tensor from_ints(const Ints& values);
/// Moves `index` or another small operand to the device of `data`.
at::Tensor beside(const at::Tensor& operand, const at::Tensor& data);
/// The number type for computing with ONNX's type. Half precision becomes single precision, because
/// CPU kernels for it are missing or slow.
at::ScalarType scalar_type_of(std::int64_t onnx_type);
/// The same for quantized numbers: int8, uint8, int16 and uint16 (as int32).
at::ScalarType quantised_type_of(std::int64_t onnx_type);
/// Conv and Gemm, for operators that fuse further steps with them.
at::Tensor convolved(const OnnxCall& call);
at::Tensor general_product(const OnnxCall& call);

/// The common part of convolutions: checked input and weight, strides and dilations with their
/// defaults.
struct ConvolutionWindow {
    Ints kernel;
    Ints strides;
    Ints dilations;
    Ints reach;  ///< size of the kernel with its dilation
};
ConvolutionWindow window_of(const OnnxCall& call);

/// The padding before and after, for each spatial dimension.
struct Padding {
    Ints before;
    Ints after;
    bool symmetric() const { return before == after; }
};
/// The padding by "pads" and "auto_pad" for a window of `kernel` (already dilated) over `input`'s
/// spatial dimensions.
Padding padding_of(const OnnxCall& call, const at::Tensor& input, const Ints& window,
                   const Ints& strides);
/// Returns `input` with `padding` around its spatial dimensions (cropped if negative).
at::Tensor padded(const at::Tensor& input, const Padding& padding, double value);

}  // namespace assay::torch_plugin
