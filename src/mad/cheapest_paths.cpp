#include "mad/cheapest_paths.h"

#include <algorithm>

namespace assay::mad {

std::vector<std::uint32_t> edge_weights(const Hierarchy& hierarchy, EdgeWeight weight, bool most) {
    std::vector<std::uint32_t> weights(hierarchy.size());
    for (std::uint32_t node = 0; node < hierarchy.size(); ++node) {
        const std::uint32_t depth = most ? hierarchy.most_depth(node) : hierarchy.least_depth(node);
        weights[node] = weight(std::min(depth, 31U));
    }
    return weights;
}

CheapestPaths::CheapestPaths(const Hierarchy& hierarchy, std::vector<std::uint32_t> weights)
    : hierarchy_(hierarchy),
      weights_(std::move(weights)),
      cost_(hierarchy.size(), not_reached),
      before_(hierarchy.size(), not_reached) {}

const std::vector<std::uint32_t>& CheapestPaths::from(std::uint32_t start, bool down) {
    for (const std::uint32_t node : reached_) cost_[node] = before_[node] = not_reached;
    reached_.clear();
    offer(start, not_reached, 0);
    while (!queue_.empty()) {
        const auto [cost, node] = queue_.top();
        queue_.pop();
        if (cost > cost_[node]) continue;
        for (const std::uint32_t parent : hierarchy_.parents(node))
            offer(parent, node, cost + weights_[parent]);
        if (!down) continue;
        for (const std::uint32_t child : hierarchy_.children(node))
            offer(child, node, cost + weights_[node]);
    }
    return cost_;
}

std::vector<std::uint32_t> CheapestPaths::to(std::uint32_t node) const {
    std::vector<std::uint32_t> out = {node};
    while (before_[out.back()] != not_reached) out.push_back(before_[out.back()]);
    std::reverse(out.begin(), out.end());
    return out;
}

void CheapestPaths::offer(std::uint32_t node, std::uint32_t from, std::uint32_t cost) {
    if (cost >= cost_[node]) return;
    if (cost_[node] == not_reached) reached_.push_back(node);
    cost_[node] = cost;
    before_[node] = from;
    queue_.emplace(cost, node);
}

}  // namespace assay::mad
