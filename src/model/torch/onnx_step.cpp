#include "model/torch/onnx_step.h"

#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/stack.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "assay/error.h"
#include "model/torch/cost_watch.h"
#include "model/torch/network.h"
#include "model/torch/runtime.h"

namespace assay::torch_plugin {
namespace {

/// The limit for the rounds of all loops in a run, including nested ones. No real classifier needs
/// more. The limit stops files with endless loops.
constexpr std::int64_t kMostRounds = 10'000;

/// Adds the node's name to errors that leave `body`.
template <class Body>
Tensors at_node(const OnnxNode& node, Body&& body) {
    try {
        return body();
    } catch (...) {
        const Error error = translated(node.place());
        if (error.code() != ErrorCode::bad_input) throw error;
        // This is no Error yet, because the caller adds what was tried.
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
                throw NotSupported(fmt::format("its output {} is not supported", i));
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

/// Concatenates the results of the rounds into one tensor.
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

}  // namespace

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

at::Tensor tensor_of(const GraphValues& values, int v) {
    if (v < 0) return {};
    const c10::IValue& value = values[static_cast<std::size_t>(v)];
    return value.isTensor() ? value.toTensor() : at::Tensor();
}

void OnnxStep::run(GraphRun& run) const {
    if (op != nullptr) {
        compute(run);
    } else if (node.op == "Loop") {
        go_round(run);
    } else {
        choose(run);
    }
}

void OnnxStep::compute(GraphRun& run) const {
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
        // A graph in single precision has this type in its casts and constants, so these are
        // converted.
        if (run.half) out[i] = as_type(out[i], computed_type(out[i].scalar_type(), *run.half));
        run.values[static_cast<std::size_t>(node.outputs[i])] = std::move(out[i]);
    }
}

/// An If.
void OnnxStep::choose(GraphRun& run) const {
    const bool yes = condition_of(node, tensor_of(run.values, node.inputs[0]));
    const Branch& branch = branches[yes ? 0 : 1];
    run_steps(branch.steps, run);
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        if (node.outputs[i] >= 0 && branch.outputs[i] >= 0)
            run.values[static_cast<std::size_t>(node.outputs[i])] =
                run.values[static_cast<std::size_t>(branch.outputs[i])];
    }
}

void OnnxStep::go_round(GraphRun& run) const {
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

}  // namespace assay::torch_plugin
