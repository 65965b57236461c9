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
constexpr std::size_t most_ways = 10'000;

using Way = std::vector<std::uint32_t>;  ///< nodes from the root down

/// Every way from the root to the node.
void add_ways(const Hierarchy& hierarchy, std::uint32_t node, Way& below, std::vector<Way>& ways) {
    below.push_back(node);
    if (hierarchy.parents(node).empty()) {
        if (ways.size() == most_ways)
            refuse(
                fmt::format("more than {} ways lead from the root to `{}`; other readings than "
                            "tree_path have no limit",
                            most_ways, shortened(hierarchy.id(below.front()))));
        ways.emplace_back(below.rbegin(), below.rend());
    }
    for (const std::uint32_t parent : hierarchy.parents(node))
        add_ways(hierarchy, parent, below, ways);
    below.pop_back();
}

/// Weights of the edges of a way from its `first` node down.
std::uint32_t weight_below(std::size_t first, std::size_t nodes) {
    std::uint32_t sum = 0;
    for (std::size_t depth = first; depth + 1 < nodes; ++depth)
        sum += halving_weight(static_cast<std::uint32_t>(depth));
    return sum;
}

std::uint32_t between(const std::vector<Way>& one, const std::vector<Way>& other) {
    std::uint32_t best = far;
    for (const Way& a : one) {
        for (const Way& b : other) {
            const auto parting = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
            const auto last_common = static_cast<std::size_t>(parting - a.begin()) - 1;
            best = std::min(
                best, weight_below(last_common, a.size()) + weight_below(last_common, b.size()));
        }
    }
    return best;
}

/// Sets the distances of each pair of classes, which `of(i, j)` gives for i < j.
template <class Of>
void fill_pairs(std::size_t classes, std::vector<std::uint32_t>& units, Of&& of) {
    for (std::size_t i = 0; i < classes; ++i) {
        throw_if_stopped();
        for (std::size_t j = i + 1; j < classes; ++j)
            units[i * classes + j] = units[j * classes + i] = of(i, j);
    }
}

/// What an edge weighs, by its upper end.
std::vector<std::uint32_t> weights_of(const Hierarchy& hierarchy, EdgeWeight weight, bool most) {
    std::vector<std::uint32_t> weights(hierarchy.size());
    for (std::uint32_t node = 0; node < hierarchy.size(); ++node) {
        const std::uint32_t depth = most ? hierarchy.most_depth(node) : hierarchy.least_depth(node);
        weights[node] = weight(std::min(depth, 31U));
    }
    return weights;
}

/// Cost of the cheapest way from a start to every node: upwards alone, or over edges in either
/// direction (Dijkstra 1959). Keeps its memory.
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
    /// By the last search.
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

}  // namespace

void tree_path_distances(const Hierarchy& hierarchy, std::span<const std::uint32_t> classes,
                         std::vector<std::uint32_t>& units) {
    std::vector<std::vector<Way>> ways(classes.size());
    Way below;
    for (std::size_t c = 0; c < classes.size(); ++c)
        add_ways(hierarchy, classes[c], below, ways[c]);
    fill_pairs(classes.size(), units,
               [&](std::size_t i, std::size_t j) { return between(ways[i], ways[j]); });
}

void ancestor_distances(const Hierarchy& hierarchy, std::span<const std::uint32_t> classes,
                        EdgeWeight weight, bool most, std::vector<std::uint32_t>& units) {
    struct Above {
        std::uint32_t node, cost;
    };
    Search search(hierarchy, weights_of(hierarchy, weight, most));
    std::vector<std::vector<Above>> above(classes.size());
    for (std::size_t c = 0; c < classes.size(); ++c) {
        const auto& cost = search.from(classes[c], false);
        for (const std::uint32_t node : search.reached()) above[c].push_back({node, cost[node]});
        std::sort(above[c].begin(), above[c].end(),
                  [](const Above& a, const Above& b) { return a.node < b.node; });
    }
    fill_pairs(classes.size(), units, [&](std::size_t i, std::size_t j) {
        std::uint32_t best = far;
        auto a = above[i].begin(), b = above[j].begin();
        while (a != above[i].end() && b != above[j].end()) {
            if (a->node == b->node)
                best = std::min(best, a++->cost + b++->cost);
            else if (a->node < b->node)
                ++a;
            else
                ++b;
        }
        return best;
    });
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
