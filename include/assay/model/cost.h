// What a network costs: numbers it holds, products it computes, memory it needs, time it takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// What an operator does, as far as its cost goes.
enum class OperatorKind : std::uint8_t {
    product,      ///< convolutions and matrix products: its multiply-accumulates (MAC) are counted
    elementwise,  ///< a few operations per number of its result
    normalisation,  ///< a few operations per number of its result
    softmax,        ///< a few operations per number of its result
    pooling,   ///< windows, reductions, sorting, resampling: a few operations per number of its
               ///< input or result, whichever has more
    movement,  ///< copies, views, look-ups, fillings: no arithmetic
    unknown,   ///< no rule: what it computes is not counted
};
/// "product", "elementwise", ...
std::string_view name_of(OperatorKind kind);

/// All executed calls of one operator.
struct OperatorCost {
    std::string name;  ///< ATen's: "aten::conv2d"; an ONNX node's where it is computed on integers
    OperatorKind kind = OperatorKind::unknown;
    bool integer = false;  ///< its products are of quantised numbers
    std::uint64_t calls = 0;
    std::uint64_t macs = 0;             ///< of the whole batch
    std::uint64_t activation_macs = 0;  ///< of these, products of two factors that both depend on
                                        ///< the image: those of attention
    std::uint64_t elements = 0;         ///< numbers that are visited; 0 for products and movement
};

/// One node of the graph, as executed: a node of an ONNX file or of an exported program; of
/// TorchScript one call of an operator.
struct NodeCost {
    std::string name;   ///< the file's, or the operator's
    std::string op;     ///< "Conv", "aten::conv2d"
    std::string shape;  ///< of what it computed last: "1 x 64 x 56 x 56"
    std::uint64_t macs = 0;
    std::uint64_t live_bytes = 0;  ///< activations that live while it runs, its results included
};

/// The numbers that a file holds, shared ones once.
struct WeightCost {
    std::uint64_t parameters = 0;  ///< ModelFacts::parameters
    std::uint64_t buffers = 0;     ///< numbers beside them: statistics of batch norms, scales
    std::uint64_t bytes = 0;       ///< of both
};

struct CostRequest {
    std::int64_t batch = 1;  ///< images at once
    int threads = 1;         ///< of the latency's runs; what is counted does not depend on them
    int warmup = 3;          ///< runs before those that are timed
    int runs = 20;           ///< 0: no latency
};
inline constexpr std::int64_t most_cost_batch = 1 << 16;
inline constexpr int most_cost_threads = 1024;
inline constexpr int most_cost_runs = 100'000;

struct ModelCost {
    std::int64_t batch = 1;
    WeightCost weights;
    std::vector<OperatorCost> operators;  ///< most MACs first, then by name
    std::vector<NodeCost> nodes;          ///< in the order of execution; at most most_nodes
    std::uint64_t executed_nodes = 0;
    std::uint64_t peak_bytes = 0;    ///< most bytes of activations that live at once
    std::string peak_node;           ///< where first: number, name, operator, shape
    std::vector<std::string> notes;  ///< whole sentences without a full stop
    std::string no_weights = {};     ///< why `weights` is not known; "": it is
    /// Why operators, nodes and the peak are not known; "": they are.
    std::string no_operators = {};

    // What differs between runs and machines.
    std::optional<std::uint64_t> measured_peak_bytes;  ///< by LibTorch's allocator; CPU only
    std::vector<double> seconds;                       ///< of each timed run, in their order

    static constexpr std::size_t most_nodes = 20'000;

    std::uint64_t macs() const;             ///< of the whole batch
    std::uint64_t activation_macs() const;  ///< of the whole batch
    std::uint64_t calls_of(OperatorKind kind) const;
    std::uint64_t elements_of(OperatorKind kind) const;
};

}  // namespace assay
