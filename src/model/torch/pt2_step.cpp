#include "model/torch/pt2_step.h"

#include <ATen/core/ivalue.h>
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "assay/error.h"
#include "core/refuse.h"
#include "model/torch/cost_watch.h"
#include "model/torch/network.h"
#include "model/torch/runtime.h"

namespace assay::torch_plugin {
namespace {

/// Converts floats to the run's half precision. Some operators return single precision for other
/// inputs, such as a division of bytes.
c10::IValue in_type(c10::IValue value, std::optional<at::ScalarType> half) {
    if (!half || !value.isTensor()) return value;
    const at::Tensor& tensor = value.toTensor();
    return as_type(tensor, computed_type(tensor.scalar_type(), *half));
}

}  // namespace

Pt2Step Pt2Step::fused(Pt2Step first, const Fusion& fusion) {
    first.layer = fusion.layer;
    first.reads = {fusion.input};
    if (fusion.added >= 0) first.reads.push_back(fusion.added);
    first.writes.clear();
    first.outputs = {{fusion.result}};
    first.lists = {false};
    first.call.reset();
    return first;
}

void Pt2Step::run(GraphRun& run) const {
    const GraphValues& values = run.values;
    try {
        if (layer != nullptr) {
            const auto operand = [&](std::size_t i) {
                return i < reads.size() ? values[static_cast<std::size_t>(reads[i])].toTensor()
                                        : at::Tensor();
            };
            const NodeScope scope(name, qualified);
            keep({layer->run(operand(0), operand(1))}, run);
        } else if (symbol != nullptr) {
            GraphValues given;
            given.reserve(feeds.size());
            for (const Pt2Feed& feed : feeds) given.push_back(feed.plain(values));
            keep({symbol(given)}, run);
        } else {
            torch::jit::Stack stack;
            const auto& arguments = call->op->schema().arguments();
            stack.reserve(arguments.size());
            for (std::size_t i = 0; i < arguments.size(); ++i) {
                const c10::IValue* constant = call->feeds[i].constant();
                stack.push_back(constant != nullptr ? *constant
                                                    : call->feeds[i].fitted(values, arguments[i]));
            }
            const NodeScope scope(name, qualified);
            call->run(stack);
            keep(std::move(stack), run);
        }
    } catch (...) {
        throw translated(place());
    }
}

void Pt2Step::keep(GraphValues results, GraphRun& run) const {
    if (results.size() < outputs.size()) {
        refuse(fmt::format("it returns {} values, but the file expects {}", results.size(),
                           outputs.size()));
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (lists[i]) {
            const auto items = results[i].toListRef();
            if (items.size() != outputs[i].size()) {
                refuse(fmt::format("it returns {} tensors, but the file expects {}", items.size(),
                                   outputs[i].size()));
            }
            for (std::size_t k = 0; k < items.size(); ++k) {
                if (outputs[i][k] >= 0)
                    run.values[static_cast<std::size_t>(outputs[i][k])] =
                        in_type(items[k], run.half);
            }
        } else if (!outputs[i].empty() && outputs[i][0] >= 0) {
            run.values[static_cast<std::size_t>(outputs[i][0])] =
                in_type(std::move(results[i]), run.half);
        }
    }
}

}  // namespace assay::torch_plugin
