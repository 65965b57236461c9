// The ONNX interpreter: what depends on no image is computed once when the model is opened, the
// rest node by node.
#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "assay/error.h"
#include "model/torch/network.h"
#include "model/torch/onnx_graph.h"
#include "model/torch/runtime.h"

namespace assay::torch_plugin {
namespace {

/// A node with its operator looked up, and what is no longer needed after it.
struct Step {
    const OnnxOperator* op = nullptr;
    OnnxNode node;
    std::vector<int> done;  ///< values that no later step reads
};

Tensors run_node(const OnnxOperator& op, const OnnxNode& node, std::span<const at::Tensor> inputs,
                 std::int64_t opset) {
    try {
        const OnnxCall call(node, inputs, opset);
        Tensors out = op.many != nullptr ? op.many(call) : Tensors{op.one(call)};
        if (out.size() < node.outputs.size()) {
            for (std::size_t i = out.size(); i < node.outputs.size(); ++i) {
                if (node.outputs[i] >= 0)
                    throw NodeError(fmt::format("its output {} is not supported", i));
            }
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
    return op.find("QLinear") != std::string::npos ||
           op.find("QuantizeLinear") != std::string::npos || op.ends_with("Integer");
}

/// Names every operator that is missing, not only the first.
void check_operators(const std::vector<OnnxNode>& nodes) {
    std::map<std::string, std::pair<std::size_t, std::string>> unknown;
    std::string quantised;
    for (const OnnxNode& node : nodes) {
        if (find_onnx_operator(node.op) != nullptr) continue;
        auto& [count, first] = unknown[node.op];
        if (count++ == 0) first = node.name;
        if (is_quantised(node.op)) quantised = node.op;
    }
    if (!quantised.empty()) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("this is a quantised model (it has {} nodes), which is not "
                                "supported; use its float version",
                                quantised));
    }
    if (unknown.empty()) return;
    std::string list;
    for (const auto& [op, where] : unknown)
        list += fmt::format("{}{} ({} node{}, first \"{}\")", list.empty() ? "" : ", ", op,
                            where.first, where.first == 1 ? "" : "s", where.second);
    throw Error(ErrorCode::bad_input,
                fmt::format("the model uses ONNX operators that are not supported: {}", list));
}

class OnnxNetwork final : public Network {
public:
    OnnxNetwork(OnnxGraph graph, const std::string& output, c10::Device device)
        : opset_(graph.opset),
          input_(graph.input),
          output_(choose_output(graph, output)),
          shape_(graph.input_shape),
          type_(graph.input_type),
          parameters_(graph.parameters),
          constants_(std::move(graph.constants)) {
        std::vector<OnnxNode> nodes = needed(std::move(graph.nodes));
        check_operators(nodes);
        fold(std::move(nodes));
        plan_releases();
        for (at::Tensor& constant : constants_) {
            if (!constant.defined()) continue;
            // A transposed weight would be copied into order again at each run.
            if (constant.is_non_overlapping_and_dense()) constant = constant.contiguous();
            // Whole numbers are shapes and positions: they are read on the CPU.
            if (constant.is_floating_point()) constant = constant.to(device);
        }
    }

    at::Tensor forward(const at::Tensor& input) override {
        std::vector<at::Tensor> values(constants_.size());
        values[input_] = input.to(type_);
        Tensors inputs;
        for (const Step& step : steps_) {
            gather_inputs(step.node, values, inputs);
            Tensors out = run_node(*step.op, step.node, inputs, opset_);
            for (std::size_t i = 0; i < step.node.outputs.size(); ++i) {
                if (step.node.outputs[i] >= 0) values[step.node.outputs[i]] = std::move(out[i]);
            }
            for (const int value : step.done) values[value] = at::Tensor();
        }
        return constants_[output_].defined() ? constants_[output_] : values[output_];
    }

    std::int64_t parameters() const override { return parameters_; }
    std::optional<std::array<std::int64_t, 4>> declared_input() const override { return shape_; }

private:
    static int choose_output(const OnnxGraph& graph, const std::string& wanted) {
        std::string list;
        for (const int value : graph.outputs) {
            if (graph.names[value] == wanted) return value;
            list += (list.empty() ? "" : ", ") + graph.names[value];
        }
        if (wanted.empty() && graph.outputs.size() == 1) return graph.outputs.front();
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
            for (const int v : node->inputs) {
                if (v >= 0) read[v] = true;
            }
            for (int& v : node->outputs) {
                if (v >= 0 && !read[v]) v = -1;
            }
            kept.push_back(std::move(*node));
        }
        std::ranges::reverse(kept);
        return kept;
    }

    void gather_inputs(const OnnxNode& node, const std::vector<at::Tensor>& values,
                       Tensors& inputs) const {
        inputs.clear();
        for (const int v : node.inputs) {
            if (v < 0) {
                inputs.emplace_back();
            } else {
                inputs.push_back(constants_[v].defined() ? constants_[v] : values[v]);
            }
        }
    }

    /// Computes the nodes with constant inputs; the others become steps.
    void fold(std::vector<OnnxNode> nodes) {
        const std::vector<at::Tensor> none(constants_.size());
        Tensors inputs;
        for (OnnxNode& node : nodes) {
            const OnnxOperator* op = find_onnx_operator(node.op);
            const bool constant = std::ranges::all_of(
                node.inputs, [&](int v) { return v < 0 || constants_[v].defined(); });
            if (!constant) {
                steps_.push_back({op, std::move(node), {}});
                continue;
            }
            gather_inputs(node, none, inputs);
            try {
                Tensors out = run_node(*op, node, inputs, opset_);
                for (std::size_t i = 0; i < node.outputs.size(); ++i) {
                    if (node.outputs[i] >= 0) constants_[node.outputs[i]] = std::move(out[i]);
                }
            } catch (const NodeError& error) {
                throw Error(ErrorCode::bad_input, error.what());
            }
        }
    }

    void plan_releases() {
        std::vector<bool> seen(constants_.size(), false);
        seen[output_] = true;
        for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
            for (const auto* list : {&step->node.inputs, &step->node.outputs}) {
                for (const int v : *list) {
                    if (v < 0 || seen[v]) continue;
                    seen[v] = true;
                    step->done.push_back(v);
                }
            }
        }
        // Constants that only folded nodes read.
        std::vector<bool> read(constants_.size(), false);
        read[output_] = true;
        for (const Step& step : steps_) {
            for (const int v : step.node.inputs) {
                if (v >= 0) read[v] = true;
            }
        }
        for (std::size_t v = 0; v < constants_.size(); ++v) {
            if (!read[v]) constants_[v] = at::Tensor();
        }
    }

    std::int64_t opset_;
    int input_;
    int output_;
    std::optional<std::array<std::int64_t, 4>> shape_;
    at::ScalarType type_;
    std::int64_t parameters_;
    std::vector<at::Tensor> constants_;
    std::vector<Step> steps_;
};

}  // namespace

const OnnxOperator* find_onnx_operator(std::string_view name) {
    static const auto table = [] {
        std::map<std::string_view, const OnnxOperator*> all;
        for (const auto family :
             {elementwise_operators(), activation_operators(), layer_operators(), pool_operators(),
              reduce_operators(), shape_operators(), index_operators(), resize_operators()}) {
            for (const OnnxOperator& op : family) all[op.name] = &op;
        }
        return all;
    }();
    const auto at = table.find(name);
    return at == table.end() ? nullptr : at->second;
}

std::unique_ptr<Network> load_onnx(const ModelSpec& spec, c10::Device device) {
    return std::make_unique<OnnxNetwork>(parse_onnx(spec.path), spec.output, device);
}

}  // namespace assay::torch_plugin
