// The program that torch.export wrote, as plain values: a list of calls with their arguments, in
// order. Numbers replace names. This code does not interpret operators.
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
    value,  ///< a computed or given value: a tensor, or a number that depends on sizes
    integer,
    real,
    complex,
    boolean,
    text,
    number_type,    ///< `type`
    memory_format,  ///< `text` is its type; the device's index is dropped
    layout,         ///< the same
    device,         ///< `text` is its type, without the device's index
    list,
    graph,
    unsupported  ///< `word` gives its kind
};

struct Argument {
    ArgumentKind kind = ArgumentKind::none;
    std::string word;  ///< the file's word for the kind: "as_tensor"
    int value = -1;    ///< number of the value; -1 for an output without a name
    std::int64_t integer = 0;
    double real = 0, imaginary = 0;
    bool boolean = false;
    NumberType type = NumberType::float32;
    std::string text;
    std::vector<Argument> items;
    std::shared_ptr<const Graph> graph;
};

struct NamedArgument {
    std::string name;  ///< name in the operator's schema, or ""
    Argument argument;
};

/// The operator: "torch.ops.aten.conv2d.default", "_operator.mul". A node without outputs is
/// identified by its position.
struct Node : GraphNode {
    std::vector<NamedArgument> inputs;
    std::vector<Argument> outputs;  ///< kinds value, none, and lists of values
};

/// Each node comes after the nodes whose values it reads. The values of an inner graph are numbered
/// separately.
struct Graph {
    std::vector<std::string> names;  ///< names of the values
    std::vector<int> inputs;         ///< inputs in order; for an inner graph: its operands
    std::vector<Node> nodes;
    std::vector<Argument> outputs;
};

enum class InputKind { image, parameter, buffer, constant };

struct Input {
    InputKind kind = InputKind::image;
    int value = -1;
    std::string name;  ///< name of the tensor in the archive
};

/// One dimension of the images in the export.
struct Dimension {
    std::int64_t size = -1;  ///< -1: open
    std::string symbol;      ///< the name of an open dimension, if it is a plain symbol
};

struct Range {
    std::optional<std::int64_t> least, most;
};

struct Output {
    std::string name;  ///< "logits", "0"; "" for a single output
    Argument argument;
};

struct Program {
    Graph graph;
    std::vector<Input> inputs;
    std::vector<Output> outputs;
    bool named_outputs = false;         ///< the model returns a dict or a named tuple
    std::vector<std::string> mutated;   ///< buffers that a call changes
    std::map<int, Argument> constants;  ///< the model's arguments that were fixed at export
    int image = -1;                     ///< the value that receives the images
    NumberType image_type = NumberType::float32;
    std::vector<Dimension> image_sizes;
    std::map<std::string, Range> ranges;  ///< by symbol
    std::string torch_version;
};

/// Parses the JSON text of an exported program. Throws bad_input: not JSON, another major version
/// of the schema, or a name that is read before it is defined, or defined twice. Also throws it for
/// inputs other than one tensor, and for outputs that are not returned to the user. Unknown kinds
/// of arguments become `unsupported`.
Program parse_program(std::string_view text);

}  // namespace assay::pt2
