#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "assay/error.h"
#include "core/parallel.h"
#include "core/refuse.h"
#include "core/text.h"
#include "mad/cheapest_paths.h"
#include "mad/distance_readings.h"

namespace assay::mad {
namespace {

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

/// Distances through common ancestors: the smallest sum of the costs of both paths to one of them.
/// `cost_of` gives the cost of the path from a class to a node, given the search's result.
template <class CostOf>
void over_ancestors(const Hierarchy& hierarchy, std::span<const std::uint32_t> classes,
                    std::vector<std::uint32_t> weights, std::vector<std::uint32_t>& units,
                    CostOf&& cost_of) {
    struct Above {
        std::uint32_t node, cost;
    };
    CheapestPaths search(hierarchy, std::move(weights));
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
        std::uint32_t best = CheapestPaths::not_reached;
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
    over_ancestors(hierarchy, classes, edge_weights(hierarchy, equal_weight, false), units,
                   [&](std::uint32_t node, std::uint32_t cost) {
                       return weight_below(hierarchy.most_depth(node), cost / edge);
                   });
}

void ancestor_distances(const Hierarchy& hierarchy, std::span<const std::uint32_t> classes,
                        EdgeWeight weight, bool most, std::vector<std::uint32_t>& units) {
    over_ancestors(hierarchy, classes, edge_weights(hierarchy, weight, most), units,
                   [](std::uint32_t, std::uint32_t cost) { return cost; });
}

void graph_distances(const Hierarchy& hierarchy, std::span<const std::uint32_t> classes,
                     EdgeWeight weight, bool most, std::vector<std::uint32_t>& units) {
    CheapestPaths search(hierarchy, edge_weights(hierarchy, weight, most));
    for (std::size_t i = 0; i < classes.size(); ++i) {
        throw_if_stopped();
        const auto& cost = search.from(classes[i], true);
        for (std::size_t j = 0; j < classes.size(); ++j)
            units[i * classes.size() + j] = cost[classes[j]];
    }
}

}  // namespace assay::mad
