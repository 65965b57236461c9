// The ONNX interpreter. Nodes that depend on no image are computed once when the model is opened,
// and the rest one by one.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <set>

#include "assay/error.h"
#include "model/torch/network.h"
#include "model/torch/onnx_describe.h"
#include "model/torch/onnx_graph.h"
#include "model/torch/onnx_step.h"
#include "model/torch/runtime.h"
#include "model/torch/step_graph.h"

namespace assay::torch_plugin {
namespace {

const OnnxBlock& branch_of(const OnnxNode& node, std::string_view name) {
    const auto block = std::ranges::find(node.blocks, name, &OnnxBlock::name);
    if (block == node.blocks.end() || block->outputs.size() != node.outputs.size()) {
        throw Error(ErrorCode::bad_input, fmt::format("{} has no {} with {} outputs", node.place(),
                                                      name, node.outputs.size()));
    }
    return *block;
}

/// A Loop's body. It takes the round, the condition and the carried values. It returns the
/// condition, the carried values and the collected values.
const OnnxBlock& body_of(const OnnxNode& node) {
    const auto body = std::ranges::find(node.blocks, "body", &OnnxBlock::name);
    const auto refused = [&](const char* what) {
        throw Error(ErrorCode::bad_input, fmt::format("{} {}", node.place(), what));
    };
    if (body == node.blocks.end()) refused("has no body");
    if (node.inputs.size() < 2) refused("has neither a number of rounds nor a condition");
    if (body->inputs.size() != node.inputs.size())
        refused("does not carry as many values as its body takes");
    if (body->outputs.size() + 1 < body->inputs.size() || body->outputs.empty() ||
        body->outputs.size() < node.outputs.size() + 1)
        refused("does not return as many values as its body");
    if (std::ranges::count(body->outputs, -1) > 0 ||
        std::find(node.inputs.begin() + 2, node.inputs.end(), -1) != node.inputs.end())
        refused("carries an omitted value");
    return *body;
}

/// Looks up the operators of all nodes, including nested ones.
class OperatorCheck {
public:
    explicit OperatorCheck(const std::vector<OnnxNode>& nodes) { look(nodes); }

    /// Throws bad_input if operators are missing.
    void refuse_missing() const {
        missing_.refuse("the ONNX interpreter",
                        quantised_ ? "quantise the model in the form of QuantizeLinear and "
                                     "DequantizeLinear nodes (QDQ), or use its float version"
                                   : by_onnx_runtime);
    }

private:
    void look(const std::vector<OnnxNode>& nodes) {
        for (const OnnxNode& node : nodes) {
            for (const OnnxBlock& block : node.blocks) look(block.nodes);
            if (node.op == "If" || node.op == "Loop" || find_onnx_operator(node.op) != nullptr)
                continue;
            missing_.add(node.op, node);
            quantised_ = quantised_ || is_quantised(node.op);
        }
    }

    MissingOperators missing_;
    bool quantised_ = false;  ///< true if an operator is quantized
};

class OnnxNetwork final : public Network {
public:
    OnnxNetwork(OnnxGraph graph, const ModelSpec& spec, const ComputeOn& where, bool fuse)
        : spec_(spec),
          where_(where),
          input_(graph.input),
          output_(choose_output(graph, spec.output)),
          shape_(graph.input_shape),
          type_(graph.input_type),
          weights_(graph.weights),
          one_at_a_time_(graph.one_at_a_time),
          notes_(std::move(graph.notes)),
          data_files_(std::move(graph.data_files)) {
        for (at::Tensor& constant : graph.constants) {
            graph_.known.push_back(constant.defined());
            graph_.start.values.push_back(constant.defined() ? c10::IValue(std::move(constant))
                                                             : c10::IValue());
        }
        std::vector<OnnxNode> nodes = needed(std::move(graph.nodes));
        OperatorCheck(nodes).refuse_missing();
        fold(std::move(nodes), graph_.steps);
        if (fuse && where.device.is_cpu() && where.type == at::kFloat) {
            fused_ = graph_.fuse({&output_, 1}, [](const OnnxStep& step, const auto& constant) {
                return step.op != nullptr ? described_node(step.node, constant) : DescribedStep();
            });
        }
        graph_.plan_releases({&output_, 1});
        std::vector<bool> quantised(graph_.known.size(), false);
        mark_quantised(graph_.steps, quantised);
        for (std::size_t v = 0; v < quantised.size(); ++v) {
            c10::IValue& value = graph_.start.values[v];
            if (!value.isTensor()) continue;
            at::Tensor constant = value.toTensor();
            // Each run would copy a transposed weight into order.
            if (constant.is_non_overlapping_and_dense()) constant = constant.contiguous();
            // Integers other than quantized values are shapes and positions, which are read on the
            // CPU.
            if (constant.is_floating_point() || quantised[v])
                constant =
                    constant.to(computed_type(constant.scalar_type(), where.type)).to(where.device);
            value = std::move(constant);
        }
        if (is_half(where.type)) half_ = where.type;
        if (std::string note = precision_note(graph.weight_type, where); !note.empty())
            notes_.insert(notes_.begin(), std::move(note));
    }

    at::Tensor forward(const at::Tensor& input) override {
        GraphRun run = graph_.begin(half_);
        run.values[static_cast<std::size_t>(input_)] =
            as_type(input, half_ ? computed_type(type_, *half_) : type_);
        run_steps(graph_.steps, run);
        return tensor_of(run.values, output_);
    }

    const WeightCost& weights() const override { return weights_; }
    std::optional<std::array<std::int64_t, 4>> declared_input() const override { return shape_; }
    std::optional<at::ScalarType> declared_type() const override {
        return type_ == at::kByte ? at::kByte : at::kFloat;
    }
    bool one_at_a_time() const override { return one_at_a_time_; }
    bool rounds() const override {
        return std::ranges::any_of(graph_.steps, [](const OnnxStep& step) {
            return step.node.op.ends_with("QuantizeLinear");  // not DequantizeLinear
        });
    }
    bool fused() const override { return fused_; }
    std::unique_ptr<Network> as_written() const override {
        return fused_ ? load_onnx(spec_, where_, false) : nullptr;
    }
    std::vector<std::string> notes() const override { return notes_; }
    std::vector<std::filesystem::path> data_files() const override { return data_files_; }

private:
    static int choose_output(OnnxGraph& graph, const std::string& wanted) {
        std::string list;
        for (const int value : graph.outputs) {
            if (graph.names[value] == wanted) return value;
            list += (list.empty() ? "" : ", ") + graph.names[value];
        }
        if (wanted.empty()) {
            if (graph.outputs.size() == 1) return graph.outputs.front();
            for (const int value : graph.outputs) {
                if (graph.names[value] != "logits") continue;
                graph.notes.push_back(fmt::format(
                    "the model returns several outputs ({}); \"logits\" are its scores", list));
                return value;
            }
        }
        std::size_t position = 0;
        const auto [stop, code] =
            std::from_chars(wanted.data(), wanted.data() + wanted.size(), position);
        if (code == std::errc{} && stop == wanted.data() + wanted.size() &&
            position < graph.outputs.size())
            return graph.outputs[position];
        throw Error(
            ErrorCode::bad_input,
            wanted.empty()
                ? fmt::format(
                      "the model returns several outputs; name the one that holds the scores "
                      "with --output-entry, or as \"output\" in the sidecar: {}",
                      list)
                : fmt::format("the model has no output \"{}\"; it returns: {}", wanted, list));
    }

    /// The nodes on which the chosen output depends. Their unread outputs are marked -1.
    std::vector<OnnxNode> needed(std::vector<OnnxNode> nodes) const {
        std::vector<bool> read(graph_.known.size(), false);
        read[output_] = true;
        nodes = needed_nodes(std::move(nodes), read);
        for (OnnxNode& node : nodes) {
            for (int& v : node.outputs) {
                if (v >= 0 && !read[v]) v = -1;
            }
        }
        return nodes;
    }

    /// Computes the nodes with constant inputs; other nodes become steps. In a branch that may
    /// never run (`perhaps`), errors are postponed until it runs.
    void fold(std::vector<OnnxNode> nodes, std::vector<OnnxStep>& steps, bool perhaps = false) {
        for (OnnxNode& node : nodes) {
            if (node.op == "If") {
                fold_if(std::move(node), steps, perhaps);
                continue;
            }
            if (node.op == "Loop") {
                fold_loop(std::move(node), steps, perhaps);
                continue;
            }
            const OnnxOperator* op = find_onnx_operator(node.op);
            OnnxStep step = {op, std::move(node), {}, {}};
            try {
                if (graph_.fold(step)) continue;
            } catch (const NodeError& error) {
                if (!perhaps) throw Error(ErrorCode::bad_input, error.what());
            }
            steps.push_back(std::move(step));
        }
    }

    /// If the condition is known, the branch's nodes replace the If.
    void fold_if(OnnxNode node, std::vector<OnnxStep>& steps, bool perhaps) {
        if (node.inputs.size() != 1 || node.inputs[0] < 0)
            throw Error(ErrorCode::bad_input, node.place() + " has no condition");
        const OnnxBlock& yes = branch_of(node, "then_branch");
        const OnnxBlock& no = branch_of(node, "else_branch");
        if (!graph_.is_known(node.inputs[0])) {
            OnnxStep step;
            for (const OnnxBlock* block : {&yes, &no}) {
                OnnxStep::Branch& branch = step.branches.emplace_back();
                fold(block->nodes, branch.steps, true);
                branch.outputs = block->outputs;
            }
            node.blocks.clear();
            step.node = std::move(node);
            steps.push_back(std::move(step));
            return;
        }
        bool taken = false;
        try {
            taken = condition_of(node, tensor_of(graph_.start.values, node.inputs[0]));
        } catch (const NodeError& error) {
            throw Error(ErrorCode::bad_input, error.what());
        }
        const OnnxBlock& block = taken ? yes : no;
        fold(block.nodes, steps, perhaps);
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            if (node.outputs[i] < 0 || block.outputs[i] < 0) continue;
            if (graph_.is_known(block.outputs[i])) {
                learn(node.outputs[i],
                      graph_.start.values[static_cast<std::size_t>(block.outputs[i])]);
                continue;
            }
            OnnxNode same;
            same.op = "Identity";
            same.name = node.name;
            same.inputs = {block.outputs[i]};
            same.outputs = {node.outputs[i]};
            steps.push_back({find_onnx_operator(same.op), std::move(same), {}, {}});
        }
    }

    /// A loop that only depends on constants is executed now.
    void fold_loop(OnnxNode node, std::vector<OnnxStep>& steps, bool perhaps) {
        const OnnxBlock& block = body_of(node);
        OnnxStep step;
        OnnxStep::Branch& body = step.branches.emplace_back();
        fold(block.nodes, body.steps, true);
        body.inputs = block.inputs;
        body.outputs = block.outputs;
        node.blocks.clear();
        step.node = std::move(node);
        std::set<int> inside;
        step.for_each_written([&](int v) { inside.insert(v); });
        bool constant = true;
        step.for_each_read(
            [&](int v) { constant = constant && (graph_.is_known(v) || inside.contains(v)); });
        if (constant) {
            try {
                // Intermediate values are not constants.
                GraphRun run = graph_.begin({});
                step.run(run);
                for (const int v : step.node.outputs) {
                    if (v >= 0) learn(v, std::move(run.values[static_cast<std::size_t>(v)]));
                }
                return;
            } catch (const NodeError& error) {
                if (!perhaps) throw Error(ErrorCode::bad_input, error.what());
            }
        }
        steps.push_back(std::move(step));
    }

    void learn(int v, c10::IValue value) {
        graph_.start.values[static_cast<std::size_t>(v)] = std::move(value);
        graph_.known[static_cast<std::size_t>(v)] = true;
    }

    /// Marks the values that quantized operators read.
    static void mark_quantised(const std::vector<OnnxStep>& steps, std::vector<bool>& marked) {
        for (const OnnxStep& step : steps) {
            for (const OnnxStep::Branch& branch : step.branches)
                mark_quantised(branch.steps, marked);
            if (!is_quantised(step.node.op) && !step.node.op.ends_with("QuantizeLinear") &&
                !step.node.op.ends_with("DequantizeLinear"))
                continue;
            for (const int v : step.node.inputs) {
                if (v >= 0) marked[static_cast<std::size_t>(v)] = true;
            }
        }
    }

    ModelSpec spec_;
    ComputeOn where_;
    bool fused_ = false;
    int input_;
    int output_;
    std::optional<std::array<std::int64_t, 4>> shape_;
    at::ScalarType type_;
    std::optional<at::ScalarType> half_;  ///< type in which all floats are computed
    WeightCost weights_;
    bool one_at_a_time_;
    std::vector<std::string> notes_;
    std::vector<std::filesystem::path> data_files_;
    StepGraph<OnnxStep> graph_;
};

}  // namespace

const OnnxOperator* find_onnx_operator(std::string_view name) {
    static const auto table = [] {
        std::map<std::string_view, const OnnxOperator*> all;
        for (const auto family :
             {elementwise_operators(), activation_operators(), layer_operators(), pool_operators(),
              reduce_operators(), shape_operators(), index_operators(), resize_operators(),
              recurrent_operators(), quantised_operators(), fused_operators(),
              sampling_operators()}) {
            for (const OnnxOperator& op : family) all[op.name] = &op;
        }
        return all;
    }();
    const auto at = table.find(name);
    return at == table.end() ? nullptr : at->second;
}

std::unique_ptr<Network> load_onnx(const ModelSpec& spec, const ComputeOn& where, bool fuse) {
    return std::make_unique<OnnxNetwork>(parse_onnx(spec.path), spec, where, fuse && may_fuse());
}

}  // namespace assay::torch_plugin
