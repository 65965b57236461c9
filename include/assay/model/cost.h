// The cost of a network: its weights, multiply-accumulates, memory and time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// The kind of an operator, as far as its cost is concerned.
enum class OperatorKind : std::uint8_t {
    product,      ///< convolutions and matrix products: its multiply-accumulates (MAC) are counted
    elementwise,  ///< a few operations per number of its result
    normalisation,  ///< a few operations per number of its result
    softmax,        ///< a few operations per number of its result
    pooling,   ///< windows, reductions, sorting, resampling: a few operations per number of its
               ///< input or result, whichever is larger
    movement,  ///< copies, views, look-ups, fillings: no arithmetic
    unknown,   ///< no rule, so its arithmetic is not counted
};
/// Returns "product", "elementwise", ...
std::string_view name_of(OperatorKind kind);

/// All executed calls of one operator.
struct OperatorCost {
    std::string name;  ///< ATen's name: "aten::conv2d"; for an integer operator, the ONNX node's
    OperatorKind kind = OperatorKind::unknown;
    bool integer = false;  ///< its products are of quantized numbers
    std::uint64_t calls = 0;
    std::uint64_t macs = 0;             ///< for the whole batch
    std::uint64_t activation_macs = 0;  ///< the part of these whose factors both depend on the
                                        ///< image, as in attention
    std::uint64_t elements = 0;         ///< numbers that it processes; 0 for products and movement
};

/// One executed node of the graph: a node of an ONNX file or of an exported program, or one call of
/// a TorchScript operator.
struct NodeCost {
    std::string name;   ///< the file's name, or the operator's
    std::string op;     ///< "Conv", "aten::conv2d"
    std::string shape;  ///< shape of its last result: "1 x 64 x 56 x 56"
    std::uint64_t macs = 0;
    std::uint64_t live_bytes = 0;  ///< activations in memory while it runs, including its results
};

/// The count of numbers in a file; shared ones count once.
struct WeightCost {
    std::uint64_t parameters = 0;  ///< ModelFacts::parameters
    std::uint64_t buffers = 0;     ///< other numbers: statistics of batch norms, scales
    std::uint64_t bytes = 0;       ///< bytes of both
};

struct CostRequest {
    std::int64_t batch = 1;  ///< number of images that are computed together
    int threads = 1;         ///< threads of the timed runs; counts do not depend on it
    int warmup = 3;          ///< number of runs before the timed ones
    int runs = 20;           ///< number of timed runs; 0 measures no latency
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
    std::uint64_t peak_bytes = 0;    ///< largest total of activations in memory at one time
    std::string peak_node;           ///< the node at which this first occurs: number, name,
                                     ///< operator, shape
    std::vector<std::string> notes;  ///< sentences without a full stop
    std::string no_weights = {};     ///< reason why `weights` is not known, or ""
    /// The reason why operators, nodes and the peak are not known, or "".
    std::string no_operators = {};

    // Values that differ between runs and machines.
    std::optional<std::uint64_t> measured_peak_bytes;  ///< from LibTorch's allocator; CPU only
    std::vector<double> seconds;                       ///< for each timed run, in order

    static constexpr std::size_t most_nodes = 20'000;

    std::uint64_t macs() const;             ///< for the whole batch
    std::uint64_t activation_macs() const;  ///< for the whole batch
    std::uint64_t calls_of(OperatorKind kind) const;
    std::uint64_t elements_of(OperatorKind kind) const;
};

}  // namespace assay
