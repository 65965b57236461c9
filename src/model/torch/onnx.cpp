// The ONNX interpreter: what depends on no image is computed once when the model is opened, the
// rest node by node.
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/stack.h>
#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <memory>
#include <set>

#include "assay/error.h"
#include "model/torch/cost_watch.h"
#include "model/torch/network.h"
#include "model/torch/onnx_describe.h"
#include "model/torch/onnx_graph.h"
#include "model/torch/runtime.h"
#include "model/torch/step_graph.h"

namespace assay::torch_plugin {
namespace {

/// A node with its operator looked up, or a layer that takes the place of several. Without either
/// it is an If that is decided at each run, or a Loop.
struct Step {
    /// What it is given, its steps, and which values it returns.
    struct Branch {
        std::vector<int> inputs;
        std::vector<Step> steps;
        std::vector<int> outputs;
    };
    const OnnxOperator* op = nullptr;
    OnnxNode node;
    std::vector<int> done;         ///< values that no later step reads
    std::vector<Branch> branches;  ///< then and else, or a Loop's body
    std::shared_ptr<const FusedLayer> layer = nullptr;

    static Step fused(Step first, const Fusion& fusion) {
        first.layer = fusion.layer;
        first.node.inputs = {fusion.input};
        if (fusion.added >= 0) first.node.inputs.push_back(fusion.added);
        first.node.outputs = {fusion.result};
        first.node.attributes.clear();
        return first;
    }

    void run(GraphRun& run) const;
    /// Nothing is changed in place.
    template <class Visit>
    void for_each_changed(Visit&&) const {}
    template <class Visit>
    void for_each_result(Visit&& visit) const {
        node.for_each_result(visit);
    }
    template <class Visit>
    void for_each_read(Visit&& visit) const {
        node.for_each_read(visit);
        for (const Branch& branch : branches) {
            for (const Step& inner : branch.steps) inner.for_each_read(visit);
            for (const int v : branch.outputs) visit(v);
        }
    }
    template <class Visit>
    void for_each_written(Visit&& visit) const {
        node.for_each_result(visit);
        for (const Branch& branch : branches) {
            for (const int v : branch.inputs) visit(v);
            for (const Step& inner : branch.steps) inner.for_each_written(visit);
        }
    }

private:
    void compute(GraphRun& run) const;
    void choose(GraphRun& run) const;
    void go_round(GraphRun& run) const;
};

/// Of all loops of a run, those inside others too. No classifier goes round so often; a file that
/// would go on for ever does.
constexpr std::int64_t kMostRounds = 10'000;

/// Errors that leave `body` name the node.
template <class Body>
Tensors at_node(const OnnxNode& node, Body&& body) {
    try {
        return body();
    } catch (...) {
        const Error error = translated(node.place());
        if (error.code() != ErrorCode::bad_input) throw error;
        // Not an Error yet: the caller knows what was being tried, and puts it in front.
        throw NodeError(error.message());
    }
}

Tensors run_node(const OnnxOperator& op, const OnnxNode& node, std::span<const at::Tensor> inputs,
                 bool folding) {
    return at_node(node, [&] {
        const OnnxCall call(node, inputs, folding);
        Tensors out = op.many != nullptr ? op.many(call) : Tensors{op.one(call)};
        call.check_attributes();
        out.resize(std::max(out.size(), node.outputs.size()));
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            if (node.outputs[i] >= 0 && !out[i].defined())
                throw NodeError(fmt::format("its output {} is not supported", i));
        }
        return out;
    });
}

Tensors run_layer(const FusedLayer& layer, const OnnxNode& node,
                  std::span<const at::Tensor> inputs) {
    return at_node(node, [&] {
        return Tensors{layer.run(inputs[0], inputs.size() > 1 ? inputs[1] : at::Tensor())};
    });
}

bool is_quantised(const std::string& op) {
    return op.find("QLinear") != std::string::npos || op.starts_with("com.microsoft::QGemm") ||
           op.find("Integer") != std::string::npos ||
           op.find("DynamicQuantizeMatMul") != std::string::npos;
}

bool condition_of(const OnnxNode& node, const at::Tensor& condition) {
    if (!condition.defined() || condition.numel() != 1) {
        throw NodeError(node.place() + ": its condition is not one truth value");
    }
    return condition.to(at::kBool).item<bool>();
}

const OnnxBlock& branch_of(const OnnxNode& node, std::string_view name) {
    const auto block = std::ranges::find(node.blocks, name, &OnnxBlock::name);
    if (block == node.blocks.end() || block->outputs.size() != node.outputs.size()) {
        throw Error(ErrorCode::bad_input, fmt::format("{} has no {} with {} outputs", node.place(),
                                                      name, node.outputs.size()));
    }
    return *block;
}

/// A Loop's, which takes the round, the condition and what is carried on, and returns the
/// condition, what is carried on and what is put together.
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

/// The results of the rounds in one tensor, one after the other.
at::Tensor put_together(const OnnxNode& node, const Tensors& rounds) {
    if (rounds.empty()) {
        throw NodeError(node.place() + ": it ran zero times, so there is nothing to concatenate");
    }
    Ints sizes = rounds[0].sizes().vec();
    sizes.insert(sizes.begin(), static_cast<std::int64_t>(rounds.size()));
    check_numbers(sizes);
    for (const at::Tensor& one : rounds) {
        if (one.sizes() != rounds[0].sizes())
            throw NodeError(node.place() + ": the parts to concatenate have different sizes");
    }
    return at::stack(rounds);
}

/// Undefined where nothing has computed it, or it was left out.
at::Tensor tensor_of(const GraphValues& values, int v) {
    if (v < 0) return {};
    const c10::IValue& value = values[static_cast<std::size_t>(v)];
    return value.isTensor() ? value.toTensor() : at::Tensor();
}

void Step::run(GraphRun& run) const {
    if (op != nullptr) {
        compute(run);
    } else if (node.op == "Loop") {
        go_round(run);
    } else {
        choose(run);
    }
}

void Step::compute(GraphRun& run) const {
    Tensors inputs, out;
    inputs.reserve(node.inputs.size());
    for (const int v : node.inputs) inputs.push_back(tensor_of(run.values, v));
    {
        std::optional<NodeScope> scope;
        if (!run.folding) scope.emplace(node.name, node.op, is_quantised(node.op));
        out = layer != nullptr ? run_layer(*layer, node, inputs)
                               : run_node(*op, node, inputs, run.folding);
    }
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        if (node.outputs[i] < 0) continue;
        // A graph of single precision says so at its casts and constants.
        if (run.half) out[i] = as_type(out[i], computed_type(out[i].scalar_type(), *run.half));
        run.values[static_cast<std::size_t>(node.outputs[i])] = std::move(out[i]);
    }
}

/// An If.
void Step::choose(GraphRun& run) const {
    const bool yes = condition_of(node, tensor_of(run.values, node.inputs[0]));
    const Branch& branch = branches[yes ? 0 : 1];
    run_steps(branch.steps, run);
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        if (node.outputs[i] >= 0 && branch.outputs[i] >= 0)
            run.values[static_cast<std::size_t>(node.outputs[i])] =
                run.values[static_cast<std::size_t>(branch.outputs[i])];
    }
}

void Step::go_round(GraphRun& run) const {
    const Branch& body = branches[0];
    GraphValues& values = run.values;
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
    if (node.inputs[0] >= 0) {
        const at::Tensor count = tensor_of(values, node.inputs[0]);
        if (!count.defined() || count.numel() != 1)
            throw NodeError(node.place() + ": its number of rounds is not one number");
        most = count.to(at::kLong).item<std::int64_t>();
    }
    bool on = node.inputs[1] < 0 || condition_of(node, tensor_of(values, node.inputs[1]));
    Tensors carried;
    for (std::size_t i = 2; i < node.inputs.size(); ++i)
        carried.push_back(tensor_of(values, node.inputs[i]));
    std::vector<Tensors> together(body.outputs.size() - 1 - carried.size());
    for (std::int64_t round = 0; on && round < most; ++round) {
        if (++run.rounds > kMostRounds)
            throw NodeError(
                fmt::format("{}: it does not end after {} rounds", node.place(), kMostRounds));
        values[body.inputs[0]] = at::scalar_tensor(round, at::kLong);
        values[body.inputs[1]] = at::scalar_tensor(on, at::kBool);
        for (std::size_t i = 0; i < carried.size(); ++i) values[body.inputs[i + 2]] = carried[i];
        run_steps(body.steps, run);
        on = condition_of(node, tensor_of(values, body.outputs[0]));
        for (std::size_t i = 0; i < carried.size(); ++i)
            carried[i] = tensor_of(values, body.outputs[i + 1]);
        for (std::size_t i = 0; i < together.size(); ++i)
            together[i].push_back(tensor_of(values, body.outputs[i + 1 + carried.size()]));
    }
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        if (node.outputs[i] < 0) continue;
        values[node.outputs[i]] =
            i < carried.size() ? carried[i] : put_together(node, together[i - carried.size()]);
    }
}

/// Looks up the operators of all nodes, those inside others too.
class OperatorCheck {
public:
    explicit OperatorCheck(const std::vector<OnnxNode>& nodes) { look(nodes); }

    /// Throws bad_input where operators are missing.
    void refuse_missing() const {
        missing_.refuse("the ONNX interpreter",
                        quantised_ ? "quantise the model in the form of QuantizeLinear and "
                                     "DequantizeLinear nodes (QDQ), or use its float version"
                                   : "");
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
    bool quantised_ = false;  ///< one of them is
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
            fused_ = graph_.fuse({&output_, 1}, [](const Step& step, const auto& constant) {
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
            // A transposed weight would be copied into order again at each run.
            if (constant.is_non_overlapping_and_dense()) constant = constant.contiguous();
            // Whole numbers are shapes and positions, which are read on the CPU, or quantised.
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
        return std::ranges::any_of(graph_.steps, [](const Step& step) {
            return step.node.op.ends_with("QuantizeLinear") &&
                   !step.node.op.ends_with("DequantizeLinear");
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
                    "the model returns several things ({}); \"logits\" are its scores", list));
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
                      "the model returns several things; name the one that holds the scores "
                      "with --output-entry, or as \"output\" in the sidecar: {}",
                      list)
                : fmt::format("the model has no output \"{}\"; it returns: {}", wanted, list));
    }

    /// The nodes that the chosen output depends on; their unread outputs are marked -1.
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

    /// Computes the nodes with constant inputs; the others become steps. What fails in a branch
    /// that may never be taken (`perhaps`) waits until it is.
    void fold(std::vector<OnnxNode> nodes, std::vector<Step>& steps, bool perhaps = false) {
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
            Step step = {op, std::move(node), {}, {}};
            try {
                if (graph_.fold(step)) continue;
            } catch (const NodeError& error) {
                if (!perhaps) throw Error(ErrorCode::bad_input, error.what());
            }
            steps.push_back(std::move(step));
        }
    }

    /// Where the condition is known, the branch's nodes take the place of the If.
    void fold_if(OnnxNode node, std::vector<Step>& steps, bool perhaps) {
        if (node.inputs.size() != 1 || node.inputs[0] < 0)
            throw Error(ErrorCode::bad_input, node.place() + " has no condition");
        const OnnxBlock& yes = branch_of(node, "then_branch");
        const OnnxBlock& no = branch_of(node, "else_branch");
        if (!graph_.is_known(node.inputs[0])) {
            Step step;
            for (const OnnxBlock* block : {&yes, &no}) {
                Step::Branch& branch = step.branches.emplace_back();
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

    /// A loop over constants alone is gone round now.
    void fold_loop(OnnxNode node, std::vector<Step>& steps, bool perhaps) {
        const OnnxBlock& block = body_of(node);
        Step step;
        Step::Branch& body = step.branches.emplace_back();
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
                // What it computes on its way is no constant.
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

    /// Values that quantised operators read.
    static void mark_quantised(const std::vector<Step>& steps, std::vector<bool>& marked) {
        for (const Step& step : steps) {
            for (const Step::Branch& branch : step.branches) mark_quantised(branch.steps, marked);
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
    std::optional<at::ScalarType> half_;  ///< all floats are computed in it
    WeightCost weights_;
    bool one_at_a_time_;
    std::vector<std::string> notes_;
    std::vector<std::filesystem::path> data_files_;
    StepGraph<Step> graph_;
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
