// Sorts the nodes of an ONNX graph so that each comes after the nodes that it reads. The standard
// requires this order, but ONNX Runtime sorts by itself, and its converters append nodes at the
// end.
#include <functional>
#include <map>
#include <queue>
#include <set>

#include "model/torch/onnx_tensors.h"

namespace assay::torch_plugin {
namespace {

/// Calls visit(name) for each name that a node reads, including nested graphs.
void visit_names_read(const onnx::NodeProto& node, int depth,
                      const std::function<void(const std::string&)>& visit) {
    constexpr int deepest = 64;
    if (depth > deepest) return;  // protobuf refuses deeper nesting
    for (const std::string& name : node.input()) visit(name);
    for (const onnx::AttributeProto& attribute : node.attribute()) {
        if (!attribute.has_g()) continue;
        for (const onnx::NodeProto& inner : attribute.g().node())
            visit_names_read(inner, depth + 1, visit);
        for (const auto& output : attribute.g().output()) visit(output.name());
    }
}

}  // namespace

std::vector<const onnx::NodeProto*> nodes_in_order(const onnx::GraphProto& graph) {
    std::map<std::string, int> made_by;
    for (int n = 0; n < graph.node_size(); ++n) {
        for (const std::string& name : graph.node(n).output()) {
            if (!name.empty()) made_by.try_emplace(name, n);
        }
    }
    const auto count = static_cast<std::size_t>(graph.node_size());
    std::vector<std::vector<int>> readers(count);
    std::vector<int> waits(count, 0);
    for (int n = 0; n < graph.node_size(); ++n) {
        std::set<int> needed;
        visit_names_read(graph.node(n), 0, [&](const std::string& name) {
            const auto maker = made_by.find(name);
            if (maker != made_by.end()) needed.insert(maker->second);
        });
        for (const int maker : needed) readers[static_cast<std::size_t>(maker)].push_back(n);
        waits[static_cast<std::size_t>(n)] = static_cast<int>(needed.size());
    }
    // Takes the first node that can be computed, so that a correct order is kept.
    std::priority_queue<int, std::vector<int>, std::greater<>> ready;
    for (int n = 0; n < graph.node_size(); ++n) {
        if (waits[static_cast<std::size_t>(n)] == 0) ready.push(n);
    }
    std::vector<const onnx::NodeProto*> order;
    while (!ready.empty()) {
        const int n = ready.top();
        ready.pop();
        order.push_back(&graph.node(n));
        for (const int reader : readers[static_cast<std::size_t>(n)]) {
            if (--waits[static_cast<std::size_t>(reader)] == 0) ready.push(reader);
        }
    }
    // The remaining nodes can never be computed, because they depend on themselves. Their reader
    // reports the missing value.
    for (int n = 0; n < graph.node_size(); ++n) {
        if (waits[static_cast<std::size_t>(n)] > 0) order.push_back(&graph.node(n));
    }
    return order;
}

}  // namespace assay::torch_plugin
