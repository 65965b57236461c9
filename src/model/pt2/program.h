// What torch.export wrote, as plain values: a list of calls with their arguments, in order. Names
// have become numbers; nothing is known of operators here.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/graph_node.h"
#include "model/pt2/tensors.h"

namespace assay::pt2 {

struct Graph;

enum class ArgumentKind {
    none,
    value,  ///< something computed or given: a tensor, or a number that depends on sizes
    integer,
    real,
    complex,
    boolean,
    text,
    number_type,    ///< `type`
    memory_format,  ///< `integer`, the exporter's number
    layout,         ///< the same
    device,         ///< `text` is its type; which one of several is dropped
    list,
    graph,
    unsupported  ///< `word` says what
};

struct Argument {
    ArgumentKind kind = ArgumentKind::none;
    std::string word;  ///< the file's word for the kind: "as_tensor"
    int value = -1;    ///< number of a value; -1 in an output that nobody named
    std::int64_t integer = 0;
    double real = 0, imaginary = 0;
    bool boolean = false;
    NumberType type = NumberType::float32;
    std::string text;
    std::vector<Argument> items;
    std::shared_ptr<const Graph> graph;
};

struct NamedArgument {
    std::string name;  ///< of the operator's schema; "" where there is none
    Argument argument;
};

/// The operator: "torch.ops.aten.conv2d.default", "_operator.mul". Without outputs the name is the
/// place among the nodes.
struct Node : GraphNode {
    std::vector<NamedArgument> inputs;
    std::vector<Argument> outputs;  ///< kinds value, none, and lists of values
};

/// Each node comes after those whose values it reads. An inner graph's values are numbered apart.
struct Graph {
    std::vector<std::string> names;  ///< of the values
    std::vector<int> inputs;         ///< in order; of an inner graph: its operands
    std::vector<Node> nodes;
    std::vector<Argument> outputs;
};

enum class InputKind { image, parameter, buffer, constant };

struct Input {
    InputKind kind = InputKind::image;
    int value = -1;
    std::string name;  ///< of the tensor in the archive
};

/// One dimension of the images as the exporter saw them.
struct Dimension {
    std::int64_t size = -1;  ///< -1: open
    std::string symbol;      ///< what an open one is called, where it is a plain symbol
};

struct Range {
    std::optional<std::int64_t> least, most;
};

struct Output {
    std::string name;  ///< "logits", "0"; of the only output ""
    Argument argument;
};

struct Program {
    Graph graph;
    std::vector<Input> inputs;
    std::vector<Output> outputs;
    bool named_outputs = false;         ///< the model returns a dict or a named tuple
    std::vector<std::string> mutated;   ///< buffers that a call changes
    std::map<int, Argument> constants;  ///< arguments of the model that were fixed at export
    int image = -1;                     ///< the value that the caller gives
    NumberType image_type = NumberType::float32;
    std::vector<Dimension> image_sizes;
    std::map<std::string, Range> ranges;  ///< by symbol
    std::string torch_version;
};

/// Parses the JSON text of an exported program. Throws bad_input: not JSON, another major version
/// of the schema, a name that is read before it is made or made twice, anything but one tensor as
/// input, outputs that are no user's outputs. Unknown kinds of arguments become `unsupported`.
Program parse_program(std::string_view text);

}  // namespace assay::pt2
