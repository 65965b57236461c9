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
#include <set>

#include "assay/error.h"
#include "model/torch/cost_watch.h"
#include "model/torch/network.h"
#include "model/torch/onnx_graph.h"
#include "model/torch/runtime.h"

namespace assay::torch_plugin {
namespace {

/// A node with its operator looked up, and what is no longer needed after it. Without an operator
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
};

/// Of all loops of a run, those inside others too. No classifier goes round so often; a file that
/// would go on for ever does.
constexpr std::int64_t kMostRounds = 10'000;

Tensors run_node(const OnnxOperator& op, const OnnxNode& node, std::span<const at::Tensor> inputs,
                 bool folding) {
    try {
        const OnnxCall call(node, inputs, folding);
        Tensors out = op.many != nullptr ? op.many(call) : Tensors{op.one(call)};
        call.check_attributes();
        out.resize(std::max(out.size(), node.outputs.size()));
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            if (node.outputs[i] >= 0 && !out[i].defined())
                throw NodeError(fmt::format("its output {} is not supported", i));
        }
        return out;
    } catch (...) {
        const Error error = translated(fmt::format("node \"{}\" ({})", node.name, node.op));
        if (error.code() != ErrorCode::bad_input) throw error;
        // Not an Error yet: the caller knows what was being tried, and puts it in front.
        throw NodeError(error.message());
    }
}

bool is_quantised(const std::string& op) {
    return op.find("QLinear") != std::string::npos || op.starts_with("com.microsoft::QGemm") ||
           op.find("Integer") != std::string::npos ||
           op.find("DynamicQuantizeMatMul") != std::string::npos;
}

bool condition_of(const OnnxNode& node, const at::Tensor& condition) {
    if (!condition.defined() || condition.numel() != 1) {
        throw NodeError(fmt::format("node \"{}\" ({}): its condition is not one truth value",
                                    node.name, node.op));
    }
    return condition.to(at::kBool).item<bool>();
}

const OnnxBlock& branch_of(const OnnxNode& node, std::string_view name) {
    const auto block = std::ranges::find(node.blocks, name, &OnnxBlock::name);
    if (block == node.blocks.end() || block->outputs.size() != node.outputs.size()) {
        throw Error(ErrorCode::bad_input, fmt::format("node \"{}\" (If) has no {} with {} outputs",
                                                      node.name, name, node.outputs.size()));
    }
    return *block;
}

/// A Loop's, which takes the round, the condition and what is carried on, and returns the
/// condition, what is carried on and what is put together.
const OnnxBlock& body_of(const OnnxNode& node) {
    const auto body = std::ranges::find(node.blocks, "body", &OnnxBlock::name);
    const auto refused = [&](const char* what) {
        throw Error(ErrorCode::bad_input, fmt::format("node \"{}\" (Loop) {}", node.name, what));
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
        refused("carries a value that was left out");
    return *body;
}

/// The results of the rounds in one tensor, one after the other.
at::Tensor put_together(const OnnxNode& node, const Tensors& rounds) {
    if (rounds.empty()) {
        throw NodeError(
            fmt::format("node \"{}\" (Loop): it went no round, so there is nothing to put together",
                        node.name));
    }
    Ints sizes = rounds[0].sizes().vec();
    sizes.insert(sizes.begin(), static_cast<std::int64_t>(rounds.size()));
    check_numbers(sizes);
    for (const at::Tensor& one : rounds) {
        if (one.sizes() != rounds[0].sizes())
            throw NodeError(fmt::format(
                "node \"{}\" (Loop): what is put together has another size in a later round",
                node.name));
    }
    return at::stack(rounds);
}

/// Every value that a node reads, those in its branches included.
template <class Visit>
void for_each_read(const OnnxNode& node, Visit&& visit) {
    for (const int v : node.inputs) visit(v);
    for (const OnnxBlock& block : node.blocks) {
        for (const OnnxNode& inner : block.nodes) for_each_read(inner, visit);
        for (const int v : block.outputs) visit(v);
    }
}

template <class Visit>
void for_each_read(const Step& step, Visit&& visit) {
    for (const int v : step.node.inputs) visit(v);
    for (const Step::Branch& branch : step.branches) {
        for (const Step& inner : branch.steps) for_each_read(inner, visit);
        for (const int v : branch.outputs) visit(v);
    }
}

template <class Visit>
void for_each_written(const Step& step, Visit&& visit) {
    for (const int v : step.node.outputs) visit(v);
    for (const Step::Branch& branch : step.branches) {
        for (const int v : branch.inputs) visit(v);
        for (const Step& inner : branch.steps) for_each_written(inner, visit);
    }
}

struct Missing {
    std::map<std::string, std::pair<std::size_t, std::string>> operators;  ///< count, first node
    std::string quantised;

    void look(const std::vector<OnnxNode>& nodes) {
        for (const OnnxNode& node : nodes) {
            for (const OnnxBlock& block : node.blocks) look(block.nodes);
            if (node.op == "If" || node.op == "Loop" || find_onnx_operator(node.op) != nullptr)
                continue;
            auto& [count, first] = operators[node.op];
            if (count++ == 0) first = node.name;
            if (is_quantised(node.op)) quantised = node.op;
        }
    }
};

/// Names every operator that is missing, not only the first.
void check_operators(const std::vector<OnnxNode>& nodes) {
    Missing missing;
    missing.look(nodes);
    if (missing.operators.empty()) return;
    std::string list;
    for (const auto& [op, where] : missing.operators)
        list += fmt::format("{}{} ({} node{}, first \"{}\")", list.empty() ? "" : ", ", op,
                            where.first, where.first == 1 ? "" : "s", where.second);
    throw Error(ErrorCode::bad_input,
                fmt::format("the model uses ONNX operators that are not supported: {}{}", list,
                            missing.quantised.empty()
                                ? ""
                                : "; quantise it in the form of QuantizeLinear and "
                                  "DequantizeLinear nodes (QDQ), or use its float version"));
}

class OnnxNetwork final : public Network {
public:
    OnnxNetwork(OnnxGraph graph, const std::string& output, const ComputeOn& where)
        : input_(graph.input),
          output_(choose_output(graph, output)),
          shape_(graph.input_shape),
          type_(graph.input_type),
          weights_(graph.weights),
          one_at_a_time_(graph.one_at_a_time),
          notes_(std::move(graph.notes)),
          data_files_(std::move(graph.data_files)),
          constants_(std::move(graph.constants)) {
        std::vector<OnnxNode> nodes = needed(std::move(graph.nodes));
        check_operators(nodes);
        fold(std::move(nodes), steps_);
        plan_releases();
        std::vector<bool> quantised(constants_.size(), false);
        mark_quantised(steps_, quantised);
        for (at::Tensor& constant : constants_) {
            if (!constant.defined()) continue;
            // A transposed weight would be copied into order again at each run.
            if (constant.is_non_overlapping_and_dense()) constant = constant.contiguous();
            // Whole numbers are shapes and positions, which are read on the CPU, or quantised.
            if (constant.is_floating_point() || quantised[&constant - constants_.data()])
                constant =
                    constant.to(computed_type(constant.scalar_type(), where.type)).to(where.device);
        }
        if (is_half(where.type)) half_ = where.type;
        if (std::string note = precision_note(graph.weight_type, where); !note.empty())
            notes_.insert(notes_.begin(), std::move(note));
    }

    at::Tensor forward(const at::Tensor& input) override {
        std::vector<at::Tensor> values(constants_.size());
        values[input_] = as_type(input, half_ ? computed_type(type_, *half_) : type_);
        std::int64_t rounds = 0;
        run(steps_, values, rounds);
        return value_of(output_, values);
    }

    const WeightCost& weights() const override { return weights_; }
    std::optional<std::array<std::int64_t, 4>> declared_input() const override { return shape_; }
    std::optional<at::ScalarType> declared_type() const override {
        return type_ == at::kByte ? at::kByte : at::kFloat;
    }
    bool one_at_a_time() const override { return one_at_a_time_; }
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
        std::vector<bool> read(constants_.size(), false);
        read[output_] = true;
        std::vector<OnnxNode> kept;
        for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
            if (std::ranges::none_of(node->outputs, [&](int v) { return v >= 0 && read[v]; }))
                continue;
            for_each_read(*node, [&](int v) {
                if (v >= 0) read[v] = true;
            });
            for (int& v : node->outputs) {
                if (v >= 0 && !read[v]) v = -1;
            }
            kept.push_back(std::move(*node));
        }
        std::ranges::reverse(kept);
        return kept;
    }

    const at::Tensor& value_of(int v, const std::vector<at::Tensor>& values) const {
        return constants_[v].defined() ? constants_[v] : values[v];
    }

    void gather_inputs(const OnnxNode& node, const std::vector<at::Tensor>& values,
                       Tensors& inputs) const {
        inputs.clear();
        for (const int v : node.inputs)
            inputs.push_back(v < 0 ? at::Tensor() : value_of(v, values));
    }

    /// `rounds`: of loops, so far.
    void run(const std::vector<Step>& steps, std::vector<at::Tensor>& values,
             std::int64_t& rounds) const {
        Tensors inputs;
        for (const Step& step : steps) {
            if (step.op == nullptr && step.node.op == "Loop") {
                go_round(step, values, rounds);
            } else if (step.op == nullptr) {
                const bool yes = condition_of(step.node, value_of(step.node.inputs[0], values));
                const Step::Branch& branch = step.branches[yes ? 0 : 1];
                run(branch.steps, values, rounds);
                for (std::size_t i = 0; i < step.node.outputs.size(); ++i) {
                    if (step.node.outputs[i] >= 0 && branch.outputs[i] >= 0)
                        values[step.node.outputs[i]] = value_of(branch.outputs[i], values);
                }
            } else {
                gather_inputs(step.node, values, inputs);
                Tensors out;
                {
                    const NodeScope scope(step.node.name, step.node.op, is_quantised(step.node.op));
                    out = run_node(*step.op, step.node, inputs, false);
                }
                for (std::size_t i = 0; i < step.node.outputs.size(); ++i) {
                    if (step.node.outputs[i] < 0) continue;
                    // A graph of single precision says so at its casts and constants.
                    values[step.node.outputs[i]] =
                        half_ ? as_type(out[i], computed_type(out[i].scalar_type(), *half_))
                              : std::move(out[i]);
                }
            }
            for (const int value : step.done) values[value] = at::Tensor();
        }
    }

    /// Runs a Loop; its results become `values`.
    void go_round(const Step& step, std::vector<at::Tensor>& values, std::int64_t& rounds) const {
        const OnnxNode& node = step.node;
        const Step::Branch& body = step.branches[0];
        std::int64_t most = std::numeric_limits<std::int64_t>::max();
        if (node.inputs[0] >= 0) {
            const at::Tensor& count = value_of(node.inputs[0], values);
            if (!count.defined() || count.numel() != 1)
                throw NodeError(fmt::format(
                    "node \"{}\" (Loop): its number of rounds is not one number", node.name));
            most = count.to(at::kLong).item<std::int64_t>();
        }
        bool on = node.inputs[1] < 0 || condition_of(node, value_of(node.inputs[1], values));
        Tensors carried;
        for (std::size_t i = 2; i < node.inputs.size(); ++i)
            carried.push_back(value_of(node.inputs[i], values));
        std::vector<Tensors> together(body.outputs.size() - 1 - carried.size());
        for (std::int64_t round = 0; on && round < most; ++round) {
            if (++rounds > kMostRounds)
                throw NodeError(fmt::format("node \"{}\" (Loop): it goes on after {} rounds",
                                            node.name, kMostRounds));
            values[body.inputs[0]] = at::scalar_tensor(round, at::kLong);
            values[body.inputs[1]] = at::scalar_tensor(on, at::kBool);
            for (std::size_t i = 0; i < carried.size(); ++i)
                values[body.inputs[i + 2]] = carried[i];
            run(body.steps, values, rounds);
            on = condition_of(node, value_of(body.outputs[0], values));
            for (std::size_t i = 0; i < carried.size(); ++i)
                carried[i] = value_of(body.outputs[i + 1], values);
            for (std::size_t i = 0; i < together.size(); ++i)
                together[i].push_back(value_of(body.outputs[i + 1 + carried.size()], values));
        }
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            if (node.outputs[i] < 0) continue;
            values[node.outputs[i]] =
                i < carried.size() ? carried[i] : put_together(node, together[i - carried.size()]);
        }
    }

    /// Computes the nodes with constant inputs; the others become steps. What fails in a branch
    /// that may never be taken (`perhaps`) waits until it is.
    void fold(std::vector<OnnxNode> nodes, std::vector<Step>& steps, bool perhaps = false) {
        const std::vector<at::Tensor> none(constants_.size());
        Tensors inputs;
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
            const bool constant = std::ranges::all_of(
                node.inputs, [&](int v) { return v < 0 || constants_[v].defined(); });
            if (!constant) {
                steps.push_back({op, std::move(node), {}, {}});
                continue;
            }
            gather_inputs(node, none, inputs);
            try {
                Tensors out = run_node(*op, node, inputs, true);
                for (std::size_t i = 0; i < node.outputs.size(); ++i) {
                    if (node.outputs[i] >= 0) constants_[node.outputs[i]] = std::move(out[i]);
                }
            } catch (const NodeError& error) {
                if (!perhaps) throw Error(ErrorCode::bad_input, error.what());
                steps.push_back({op, std::move(node), {}, {}});
            }
        }
    }

    /// Where the condition is known, the branch's nodes take the place of the If.
    void fold_if(OnnxNode node, std::vector<Step>& steps, bool perhaps) {
        if (node.inputs.size() != 1 || node.inputs[0] < 0)
            throw Error(ErrorCode::bad_input,
                        fmt::format("node \"{}\" (If) has no condition", node.name));
        const OnnxBlock& yes = branch_of(node, "then_branch");
        const OnnxBlock& no = branch_of(node, "else_branch");
        const at::Tensor& condition = constants_[node.inputs[0]];
        if (!condition.defined()) {
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
            taken = condition_of(node, condition);
        } catch (const NodeError& error) {
            throw Error(ErrorCode::bad_input, error.what());
        }
        const OnnxBlock& block = taken ? yes : no;
        fold(block.nodes, steps, perhaps);
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            if (node.outputs[i] < 0 || block.outputs[i] < 0) continue;
            if (constants_[block.outputs[i]].defined()) {
                constants_[node.outputs[i]] = constants_[block.outputs[i]];
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
        for_each_written(step, [&](int v) { inside.insert(v); });
        bool constant = true;
        for_each_read(step, [&](int v) {
            constant = constant && (v < 0 || constants_[v].defined() || inside.contains(v));
        });
        if (constant) {
            try {
                std::vector<at::Tensor> values(constants_.size());
                std::int64_t rounds = 0;
                go_round(step, values, rounds);
                for (const int v : step.node.outputs) {
                    if (v >= 0) constants_[v] = values[v];
                }
                return;
            } catch (const NodeError& error) {
                if (!perhaps) throw Error(ErrorCode::bad_input, error.what());
            }
        }
        steps.push_back(std::move(step));
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

    void plan_releases() {
        std::vector<bool> seen(constants_.size(), false);
        seen[output_] = true;
        for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
            const auto last_use = [&](int v) {
                if (v < 0 || seen[v]) return;
                seen[v] = true;
                step->done.push_back(v);
            };
            for_each_read(*step, last_use);
            for_each_written(*step, last_use);
        }
        // Constants that only folded nodes read.
        std::vector<bool> read(constants_.size(), false);
        read[output_] = true;
        for (const Step& step : steps_) {
            for_each_read(step, [&](int v) {
                if (v >= 0) read[v] = true;
            });
        }
        for (std::size_t v = 0; v < constants_.size(); ++v) {
            if (!read[v]) constants_[v] = at::Tensor();
        }
    }

    int input_;
    int output_;
    std::optional<std::array<std::int64_t, 4>> shape_;
    at::ScalarType type_;
    std::optional<at::ScalarType> half_;  ///< all floats are computed in it
    WeightCost weights_;
    bool one_at_a_time_;
    std::vector<std::string> notes_;
    std::vector<std::filesystem::path> data_files_;
    std::vector<at::Tensor> constants_;
    std::vector<Step> steps_;
};

}  // namespace

const OnnxOperator* find_onnx_operator(std::string_view name) {
    static const auto table = [] {
        std::map<std::string_view, const OnnxOperator*> all;
        for (const auto family :
             {elementwise_operators(), activation_operators(), layer_operators(), pool_operators(),
              reduce_operators(), shape_operators(), index_operators(), resize_operators(),
              recurrent_operators(), quantised_operators(), fused_operators()}) {
            for (const OnnxOperator& op : family) all[op.name] = &op;
        }
        return all;
    }();
    const auto at = table.find(name);
    return at == table.end() ? nullptr : at->second;
}

std::unique_ptr<Network> load_onnx(const ModelSpec& spec, const ComputeOn& where) {
    return std::make_unique<OnnxNetwork>(parse_onnx(spec.path), spec.output, where);
}

}  // namespace assay::torch_plugin
