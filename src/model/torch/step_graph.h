// The executable form of a file's graph in either format (ONNX, torch.export): steps in order over
// one table of values. This code prepares and runs both.
#pragma once

#include <ATen/core/ivalue.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "model/torch/fused_layer.h"

namespace assay::torch_plugin {

/// The value with this number. No value if no step has computed it.
using GraphValues = std::vector<c10::IValue>;

/// One run of a graph.
struct GraphRun {
    GraphValues values;
    std::optional<at::ScalarType> half = std::nullopt;  ///< all floats are computed in it
    /// whether it computes values that depend on no image
    bool folding = false;
    std::int64_t rounds = 0;  ///< number of rounds of its loops so far
};

/// Nodes have changes_values(), for_each_result(visit) and for_each_read(visit). Steps also have
/// for_each_written(visit), and include the results of nested steps. The visitors get indices of
/// values, -1 for omitted ones. Returns the nodes on which the values in `read` depend, in order.
/// `read` then has all values that these read.
template <class Node>
std::vector<Node> needed_nodes(std::vector<Node> nodes, std::vector<bool>& read) {
    std::vector<Node> kept;
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
        bool needed = node->changes_values();
        node->for_each_result(
            [&](int v) { needed = needed || (v >= 0 && read[static_cast<std::size_t>(v)]); });
        if (!needed) continue;
        node->for_each_read([&](int v) {
            if (v >= 0) read[static_cast<std::size_t>(v)] = true;
        });
        kept.push_back(std::move(*node));
    }
    std::ranges::reverse(kept);
    return kept;
}

/// `Step::run(GraphRun&)` computes the step. `Step::done` are the values that no later step reads.
template <class Step>
void run_steps(const std::vector<Step>& steps, GraphRun& run) {
    for (const Step& step : steps) {
        step.run(run);
        for (const int v : step.done) run.values[static_cast<std::size_t>(v)] = c10::IValue();
    }
}

template <class Step>
struct StepGraph {
    GraphRun start = {.values = {}, .folding = true};  ///< values that exist before the first step
    std::vector<bool> known;                           ///< which values are the same in each run
    std::vector<Step> steps;

    int new_value() {
        start.values.emplace_back();
        return static_cast<int>(start.values.size() - 1);
    }
    bool is_known(int v) const { return v < 0 || known[static_cast<std::size_t>(v)]; }

    /// Computes a step now if all its inputs are known. Returns false if it needs the image.
    bool fold(const Step& step) {
        bool constant = true;
        step.for_each_read([&](int v) { constant = constant && is_known(v); });
        if (!constant) return false;
        step.run(start);
        step.for_each_result([&](int v) {
            if (v >= 0) known[static_cast<std::size_t>(v)] = true;
        });
        return true;
    }

    /// Replaces steps by fused layers (fused_layer.h). `describe(step, constant)` describes a step.
    /// `Step::fused(first step, fusion)` makes the step for the layer. `wanted` are the values that
    /// a run must produce. Returns false if no steps were fused.
    template <class Describe>
    bool fuse(std::span<const int> wanted, Describe&& describe) {
        const std::function<at::Tensor(int)> constant = [&](int v) {
            if (v < 0 || !known[static_cast<std::size_t>(v)]) return at::Tensor();
            const c10::IValue& value = start.values[static_cast<std::size_t>(v)];
            return value.isTensor() ? value.toTensor() : at::Tensor();
        };
        std::vector<DescribedStep> described;
        for (const Step& step : steps) {
            DescribedStep one = describe(step, constant);
            step.for_each_read([&](int v) {
                if (v >= 0) one.reads.push_back(v);
            });
            step.for_each_result([&](int v) { one.results.push_back(v); });
            step.for_each_changed([&](int v) { one.writes.push_back(v); });
            if (one.results.empty() || one.results.front() < 0) one.meaning = Meaning::other;
            described.push_back(std::move(one));
        }
        std::vector<bool> gone(steps.size(), false);
        const std::vector<Fusion> fusions = find_fusions(described, wanted);
        for (const Fusion& fusion : fusions) {
            Step made = Step::fused(std::move(steps[fusion.steps.front()]), fusion);
            for (const std::size_t i : fusion.steps) gone[i] = true;
            gone[fusion.steps.back()] = false;
            steps[fusion.steps.back()] = std::move(made);
        }
        std::vector<Step> kept;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            if (!gone[i]) kept.push_back(std::move(steps[i]));
        }
        steps = std::move(kept);
        return !fusions.empty();
    }

    /// Determines for each step which values are no longer needed after it, and drops constants
    /// that no step reads. `wanted` are the values that a run must produce. Returns which values
    /// remain.
    std::vector<bool> plan_releases(std::span<const int> wanted) {
        std::vector<bool> seen(start.values.size(), false);
        for (const int v : wanted) seen[static_cast<std::size_t>(v)] = true;
        for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
            const auto last_use = [&](int v) {
                if (v < 0 || seen[static_cast<std::size_t>(v)]) return;
                seen[static_cast<std::size_t>(v)] = true;
                step->done.push_back(v);
            };
            step->for_each_read(last_use);
            step->for_each_written(last_use);
        }
        for (std::size_t v = 0; v < start.values.size(); ++v) {
            if (!seen[v]) start.values[v] = c10::IValue();
        }
        return seen;
    }

    /// Starts with the values of `start`; the caller adds the image.
    GraphRun begin(std::optional<at::ScalarType> half) const {
        return {.values = start.values, .half = half};
    }
};

}  // namespace assay::torch_plugin
