// One step of a model of torch.export.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/graph_node.h"
#include "model/torch/fused_layer.h"
#include "model/torch/pt2_call.h"
#include "model/torch/pt2_symbols.h"
#include "model/torch/step_graph.h"

namespace assay::torch_plugin {

/// A node with its operator, which is a call or arithmetic on sizes, or a fused layer that replaces
/// several nodes.
struct Pt2Step : GraphNode {
    std::string qualified;  ///< "aten::conv2d"; "" for arithmetic
    std::optional<Pt2Call> call;
    SymbolFunction symbol = nullptr;
    std::vector<Pt2Feed> feeds;             ///< feeds of `symbol`
    std::vector<std::vector<int>> outputs;  ///< values of each result; -1 if nothing reads it
    std::vector<bool> lists;                ///< true if the result is a list of tensors
    std::vector<int> reads, writes;         ///< values; the written values are changed in place
    std::vector<int> done;                  ///< values that no later step reads
    std::shared_ptr<const FusedLayer> layer;

    static Pt2Step fused(Pt2Step first, const Fusion& fusion);
    /// Throws bad_input with the place of the node.
    void run(GraphRun& run) const;

    bool changes_values() const { return !writes.empty(); }
    template <class Visit>
    void for_each_read(Visit&& visit) const {
        for (const int v : reads) visit(v);
    }
    template <class Visit>
    void for_each_result(Visit&& visit) const {
        for (const std::vector<int>& result : outputs) {
            for (const int v : result) visit(v);
        }
    }
    template <class Visit>
    void for_each_written(Visit&& visit) const {
        for_each_result(visit);
    }
    template <class Visit>
    void for_each_changed(Visit&& visit) const {
        for (const int v : writes) visit(v);
    }

private:
    void keep(GraphValues results, GraphRun& run) const;
};

}  // namespace assay::torch_plugin
