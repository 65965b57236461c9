// The cheapest paths through a hierarchy of classes.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "assay/data/hierarchy.h"
#include "mad/distance_readings.h"

namespace assay::mad {

/// The weight of the edges below each node, by its depth: with `most` the longest path to the root,
/// otherwise the shortest.
std::vector<std::uint32_t> edge_weights(const Hierarchy& hierarchy, EdgeWeight weight, bool most);

/// The cheapest paths from a start to every node: upwards only, or along edges in either direction
/// (Dijkstra 1959). An edge has the weight of its upper end. One object can search several times,
/// and then only touches the nodes that it reached before. Memory: three numbers per node.
class CheapestPaths {
public:
    static constexpr std::uint32_t not_reached = std::numeric_limits<std::uint32_t>::max();

    /// `weights` has one entry per node, as from edge_weights().
    CheapestPaths(const Hierarchy& hierarchy, std::vector<std::uint32_t> weights);

    /// Returns the cost of each node, or not_reached. Valid until the next call.
    const std::vector<std::uint32_t>& from(std::uint32_t start, bool down);

    // Results of the last search.
    const std::vector<std::uint32_t>& cost() const { return cost_; }
    const std::vector<std::uint32_t>& reached() const { return reached_; }
    /// The nodes from the start to a node that was reached.
    std::vector<std::uint32_t> to(std::uint32_t node) const;

private:
    void offer(std::uint32_t node, std::uint32_t from, std::uint32_t cost);

    using Entry = std::pair<std::uint32_t, std::uint32_t>;  ///< cost, node
    const Hierarchy& hierarchy_;
    std::vector<std::uint32_t> weights_, cost_, reached_;
    std::vector<std::uint32_t> before_;  ///< the node before each reached one
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

}  // namespace assay::mad
