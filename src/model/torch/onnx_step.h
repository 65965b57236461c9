// One step of an ONNX model: a node, or a layer that replaces several nodes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/torch/fused_layer.h"
#include "model/torch/onnx_graph.h"
#include "model/torch/step_graph.h"

namespace assay::torch_plugin {

/// A node with its operator, or a fused layer that replaces several nodes. Without either, it is a
/// Loop, or an If whose condition each run computes.
struct OnnxStep {
    /// The inputs, steps and returned values of an inner graph.
    struct Branch {
        std::vector<int> inputs;
        std::vector<OnnxStep> steps;
        std::vector<int> outputs;
    };
    const OnnxOperator* op = nullptr;
    OnnxNode node;
    std::vector<int> done;         ///< values that no later step reads
    std::vector<Branch> branches;  ///< branches of an If (then, else), or a Loop's body
    std::shared_ptr<const FusedLayer> layer = nullptr;

    static OnnxStep fused(OnnxStep first, const Fusion& fusion) {
        first.layer = fusion.layer;
        first.node.inputs = {fusion.input};
        if (fusion.added >= 0) first.node.inputs.push_back(fusion.added);
        first.node.outputs = {fusion.result};
        first.node.attributes.clear();
        return first;
    }

    void run(GraphRun& run) const;
    /// Nodes change no value in place.
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
            for (const OnnxStep& inner : branch.steps) inner.for_each_read(visit);
            for (const int v : branch.outputs) visit(v);
        }
    }
    template <class Visit>
    void for_each_written(Visit&& visit) const {
        node.for_each_result(visit);
        for (const Branch& branch : branches) {
            for (const int v : branch.inputs) visit(v);
            for (const OnnxStep& inner : branch.steps) inner.for_each_written(visit);
        }
    }

private:
    void compute(GraphRun& run) const;
    void choose(GraphRun& run) const;
    void go_round(GraphRun& run) const;
};

/// Returns an undefined tensor for a value that was omitted or not computed.
at::Tensor tensor_of(const GraphValues& values, int v);
/// The condition of an If or a Loop. Throws NodeError if it is not one truth value.
bool condition_of(const OnnxNode& node, const at::Tensor& condition);
/// True for operators that compute with quantized numbers. QuantizeLinear and DequantizeLinear only
/// convert, and do not count.
bool is_quantised(const std::string& op);

}  // namespace assay::torch_plugin
