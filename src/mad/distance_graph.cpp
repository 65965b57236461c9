#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <queue>
#include <utility>

#include "assay/error.h"
#include "core/parallel.h"
#include "core/refuse.h"
#include "core/text.h"
#include "mad/distance_readings.h"

namespace assay::mad {
namespace {

constexpr std::uint32_t far = std::numeric_limits<std::uint32_t>::max();
/// The most ancestors of a class, because memory is classes x ancestors.
constexpr std::size_t most_ancestors = 10'000;

/// The weight of a chain of `edges` edges whose first upper end is at `depth`.
std::uint32_t weight_below(std::uint32_t depth, std::uint32_t edges) {
    std::uint32_t sum = 0;
    for (std::uint32_t d = depth; d < depth + edges; ++d) sum += halving_weight(std::min(d, 31U));
    return sum;
}

/// Sets the distance of each pair of classes from `of(i, j)`, called for i < j.
template <class Of>
void fill_pairs(std::size_t classes, std::vector<std::uint32_t>& units, Of&& of) {
    for (std::size_t i = 0; i < classes; ++i) {
        throw_if_stopped();
        for (std::size_t j = i + 1; j < classes; ++j)
            units[i * classes + j] = units[j * classes + i] = of(i, j);
    }
}

/// The weight of an edge, by its upper end.
std::vector<std::uint32_t> weights_of(const Hierarchy& hierarchy, EdgeWeight weight, bool most) {
    std::vector<std::uint32_t> weights(hierarchy.size());
    for (std::uint32_t node = 0; node < hierarchy.size(); ++node) {
        const std::uint32_t depth = most ? hierarchy.most_depth(node) : hierarchy.least_depth(node);
        weights[node] = weight(std::min(depth, 31U));
    }
    return weights;
}

/// The cost of the cheapest path from a start to every node: upwards only, or along edges in either
/// direction (Dijkstra 1959). It reuses its memory.
class Search {
public:
    Search(const Hierarchy& hierarchy, std::vector<std::uint32_t> weights)
        : hierarchy_(hierarchy), weights_(std::move(weights)), cost_(hierarchy.size(), far) {}

    const std::vector<std::uint32_t>& from(std::uint32_t start, bool down) {
        for (const std::uint32_t node : reached_) cost_[node] = far;
        reached_.clear();
        offer(start, 0);
        while (!queue_.empty()) {
            const auto [cost, node] = queue_.top();
            queue_.pop();
            if (cost > cost_[node]) continue;
            for (const std::uint32_t parent : hierarchy_.parents(node))
                offer(parent, cost + weights_[parent]);
            if (!down) continue;
            for (const std::uint32_t child : hierarchy_.children(node))
                offer(child, cost + weights_[node]);
        }
        return cost_;
    }
    /// Results of the last search.
    const std::vector<std::uint32_t>& reached() const { return reached_; }

private:
    void offer(std::uint32_t node, std::uint32_t cost) {
        if (cost >= cost_[node]) return;
        if (cost_[node] == far) reached_.push_back(node);
        cost_[node] = cost;
        queue_.emplace(cost, node);
    }

    using Entry = std::pair<std::uint32_t, std::uint32_t>;  ///< cost, node
    const Hierarchy& hierarchy_;
    std::vector<std::uint32_t> weights_, cost_, reached_;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

/// Distances through common ancestors: the smallest sum of the costs of both paths to one of them.
/// `cost_of` gives the cost of the path from a class to a node, given the search's result.
template <class CostOf>
void over_ancestors(const Hierarchy& hierarchy, std::span<const std::uint32_t> classes,
                    std::vector<std::uint32_t> weights, std::vector<std::uint32_t>& units,
                    CostOf&& cost_of) {
    struct Above {
        std::uint32_t node, cost;
    };
    Search search(hierarchy, std::move(weights));
    std::vector<std::vector<Above>> above(classes.size());
    for (std::size_t c = 0; c < classes.size(); ++c) {
        throw_if_stopped();
        const auto& cost = search.from(classes[c], false);
        if (search.reached().size() > most_ancestors)
            refuse(fmt::format("{} nodes are above `{}`; at most {} are allowed",
                               search.reached().size(), shortened(hierarchy.id(classes[c])),
                               most_ancestors));
        for (const std::uint32_t node : search.reached())
            above[c].push_back({node, cost_of(node, cost[node])});
        std::sort(above[c].begin(), above[c].end(),
                  [](const Above& x, const Above& y) { return x.node < y.node; });
    }
    fill_pairs(classes.size(), units, [&](std::size_t i, std::size_t j) {
        std::uint32_t best = far;
        auto a = above[i].begin(), b = above[j].begin();
        while (a != above[i].end() && b != above[j].end()) {
            if (a->node == b->node) {
                best = std::min(best, a++->cost + b++->cost);
            } else {
                ++(a->node < b->node ? a : b);
            }
        }
        return best;
    });
}

}  // namespace

// For a common ancestor, the best pair of paths shares its longest path from the root, and then
// uses the fewest edges down.
void tree_path_distances(const Hierarchy& hierarchy, std::span<const std::uint32_t> classes,
                         std::vector<std::uint32_t>& units) {
    const std::uint32_t edge = equal_weight(0);
    over_ancestors(hierarchy, classes, weights_of(hierarchy, equal_weight, false), units,
                   [&](std::uint32_t node, std::uint32_t cost) {
                       return weight_below(hierarchy.most_depth(node), cost / edge);
                   });
}

void ancestor_distances(const Hierarchy& hierarchy, std::span<const std::uint32_t> classes,
                        EdgeWeight weight, bool most, std::vector<std::uint32_t>& units) {
    over_ancestors(hierarchy, classes, weights_of(hierarchy, weight, most), units,
                   [](std::uint32_t, std::uint32_t cost) { return cost; });
}

void graph_distances(const Hierarchy& hierarchy, std::span<const std::uint32_t> classes,
                     EdgeWeight weight, bool most, std::vector<std::uint32_t>& units) {
    Search search(hierarchy, weights_of(hierarchy, weight, most));
    for (std::size_t i = 0; i < classes.size(); ++i) {
        throw_if_stopped();
        const auto& cost = search.from(classes[i], true);
        for (std::size_t j = 0; j < classes.size(); ++j)
            units[i * classes.size() + j] = cost[classes[j]];
    }
}

}  // namespace assay::mad
