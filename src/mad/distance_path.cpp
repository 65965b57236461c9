#include "assay/mad/distance_path.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

#include <fmt/format.h>

#include "assay/describe_result.h"
#include "assay/error.h"
#include "core/result_table.h"
#include "core/text.h"
#include "mad/distance_readings.h"

namespace assay::mad {
namespace {

constexpr std::uint32_t not_reached = std::numeric_limits<std::uint32_t>::max();

std::uint32_t node_named(const Hierarchy& hierarchy, std::string_view text) {
    if (const auto found = hierarchy.find(text)) return *found;
    std::vector<std::string> names;
    std::string same;
    for (std::uint32_t node = 0; node < hierarchy.size(); ++node) {
        names.push_back(hierarchy.name(node));
        if (loose_name(hierarchy.name(node)) == loose_name(text))
            same += fmt::format("{}{}", same.empty() ? "" : ", ", hierarchy.id(node));
    }
    if (!same.empty())
        throw Error(ErrorCode::usage,
                    fmt::format("several categories are named `{}`: use an id ({})",
                                shortened(text), same));
    throw Error(ErrorCode::usage, fmt::format("the hierarchy has no category `{}`{}",
                                              shortened(text), suggest(text, names)));
}

/// The cheapest ways from one node: their cost, and the node before each node.
struct WaysFrom {
    std::vector<std::uint32_t> cost, before;

    /// The nodes from the start to `node`.
    std::vector<std::uint32_t> to(std::uint32_t node) const {
        std::vector<std::uint32_t> out = {node};
        while (before[out.back()] != not_reached) out.push_back(before[out.back()]);
        std::ranges::reverse(out);
        return out;
    }
};

/// Upwards only, or along edges in either direction (Dijkstra 1959). An edge has the weight of its
/// upper end.
WaysFrom ways_from(const Hierarchy& hierarchy, std::uint32_t start, bool down,
                   const std::function<std::uint32_t(std::uint32_t)>& weight) {
    WaysFrom out{std::vector(hierarchy.size(), not_reached),
                 std::vector(hierarchy.size(), not_reached)};
    using Entry = std::pair<std::uint32_t, std::uint32_t>;  // cost, node
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    const auto offer = [&](std::uint32_t node, std::uint32_t from, std::uint32_t cost) {
        if (cost >= out.cost[node]) return;
        out.cost[node] = cost;
        out.before[node] = from;
        queue.emplace(cost, node);
    };
    offer(start, not_reached, 0);
    while (!queue.empty()) {
        const auto [cost, node] = queue.top();
        queue.pop();
        if (cost > out.cost[node]) continue;
        for (const std::uint32_t parent : hierarchy.parents(node))
            offer(parent, node, cost + weight(parent));
        if (!down) continue;
        for (const std::uint32_t child : hierarchy.children(node))
            offer(child, node, cost + weight(node));
    }
    return out;
}

/// Nodes in order, and the weight of the edge to each from the one before it.
struct WeighedWay {
    std::vector<std::uint32_t> nodes, weights;

    std::uint32_t length() const {
        std::uint32_t sum = 0;
        for (const std::uint32_t weight : weights) sum += weight;
        return sum;
    }
};

/// Up `first` to its last node, which is the last of `second`, too, and down `second`. `weight` is
/// that of an edge whose upper end is a number of edges below the common node.
template <class Weight>
WeighedWay up_and_down(const std::vector<std::uint32_t>& first,
                       const std::vector<std::uint32_t>& second, const Weight& weight) {
    WeighedWay out{first, {0}};
    const std::size_t up = first.size() - 1, down = second.size() - 1;
    for (std::size_t i = 0; i < up; ++i) out.weights.push_back(weight(first[i + 1], up - i - 1));
    for (std::size_t i = 0; i < down; ++i) {
        out.nodes.push_back(second[down - i - 1]);
        out.weights.push_back(weight(second[down - i], i));
    }
    return out;
}

/// The shortest way over a common ancestor.
WeighedWay way_over_ancestor(const Hierarchy& hierarchy, std::uint32_t first, std::uint32_t second,
                             const std::function<std::uint32_t(std::uint32_t)>& weight, bool tree) {
    const WaysFrom a = ways_from(hierarchy, first, false, weight),
                   b = ways_from(hierarchy, second, false, weight);
    WeighedWay best;
    std::uint32_t length = not_reached;
    for (std::uint32_t node = 0; node < hierarchy.size(); ++node) {
        if (a.cost[node] == not_reached || b.cost[node] == not_reached) continue;
        WeighedWay way =
            up_and_down(a.to(node), b.to(node), [&](std::uint32_t upper, std::size_t below) {
                // Read as a tree, depths are counted along the longest way to the common node.
                if (!tree) return weight(upper);
                const std::size_t depth = hierarchy.most_depth(node) + below;
                return halving_weight(static_cast<std::uint32_t>(std::min<std::size_t>(depth, 31)));
            });
        if (way.length() >= length) continue;
        length = way.length();
        best = std::move(way);
    }
    return best;
}

WeighedWay way_along_edges(const Hierarchy& hierarchy, std::uint32_t first, std::uint32_t second,
                           const std::function<std::uint32_t(std::uint32_t)>& weight) {
    const WaysFrom ways = ways_from(hierarchy, first, true, weight);
    WeighedWay out{ways.to(second), {0}};
    for (std::size_t i = 1; i < out.nodes.size(); ++i)
        out.weights.push_back(ways.cost[out.nodes[i]] - ways.cost[out.nodes[i - 1]]);
    return out;
}

WeighedWay way_by(const Hierarchy& hierarchy, DistanceReading reading, std::uint32_t first,
                  std::uint32_t second) {
    using enum DistanceReading;
    const auto at_least = [&](std::uint32_t node) {
        return halving_weight(std::min(hierarchy.least_depth(node), 31U));
    };
    const auto at_most = [&](std::uint32_t node) {
        return halving_weight(std::min(hierarchy.most_depth(node), 31U));
    };
    switch (reading) {
        case tree_path:
            return way_over_ancestor(hierarchy, first, second, equal_weight, true);
        case ancestor_min:
            return way_over_ancestor(hierarchy, first, second, at_least, false);
        case ancestor_max:
            return way_over_ancestor(hierarchy, first, second, at_most, false);
        case hop:
            return way_over_ancestor(hierarchy, first, second, equal_weight, false);
        case graph_closure_min:
        case graph_full_min:
            return way_along_edges(hierarchy, first, second, at_least);
        case graph_closure_max:
        case graph_full_max:
            return way_along_edges(hierarchy, first, second, at_most);
        case hop_full:
            return way_along_edges(hierarchy, first, second, equal_weight);
        case zero_one:
        case matrix:
            break;
    }
    throw Error(ErrorCode::usage,
                fmt::format("the distance {} measures no path in a hierarchy; choose another with "
                            "`--distance tree-path`",
                            spelled_distance(reading)));
}

}  // namespace

DistancePath distance_path(const Hierarchy& hierarchy, DistanceReading reading,
                           std::string_view first, std::string_view second) {
    const std::array<std::uint32_t, 2> ends = {node_named(hierarchy, first),
                                               node_named(hierarchy, second)};
    if (!no_hierarchy(reading)) refuse_deep(hierarchy, ends, facts_of(reading).weighted);
    const WeighedWay way = way_by(hierarchy, reading, ends[0], ends[1]);
    DistancePath out;
    out.first = hierarchy.id(ends[0]);
    out.second = hierarchy.id(ends[1]);
    out.definition = facts_of(reading).name;
    out.distance = way.length() * ClassDistances::unit;
    for (std::size_t i = 0; i < way.nodes.size(); ++i) {
        const std::uint32_t node = way.nodes[i];
        DistanceStep step{hierarchy.id(node), hierarchy.name(node), "", 0};
        if (i > 0) {
            const auto parents = hierarchy.parents(way.nodes[i - 1]);
            step.edge = std::ranges::find(parents, node) != parents.end() ? "up" : "down";
            step.weight = way.weights[i] * ClassDistances::unit;
        }
        out.steps.push_back(std::move(step));
    }
    return out;
}

ResultType result_type(ResultOf<DistanceStep>) {
    using Of = DistanceStep;
    static constexpr auto rows = describe_result<Of>(
        {.name = "MadDistanceStep", .columns = "id,name,edge,weight"},
        {
            part<&Of::id>({}),
            part<&Of::name>({}),
            part<&Of::edge>(
                {.help = "From the node before it: `up` or `down`; empty for the first"}),
            part<&Of::weight>({.help = "Of this edge"}),
        });
    return rows;
}

ResultType result_type(ResultOf<DistancePath>) {
    using Of = DistancePath;
    static constexpr auto rows = describe_result<Of>(
        {.name = "MadDistance",
         .help = "The distance of two classes, and the way through the hierarchy",
         .schema = "assay.mad_distance/1"},
        {
            part<&Of::first>({.help = "Id of the class"}),
            part<&Of::second>({}),
            part<&Of::definition>({.help = "As in `mad init --distance`"}),
            part<&Of::distance>({.help = "Sum of the weights"}),
            part<&Of::steps>({.help = "From the first to the second class"}),
        });
    return rows;
}

Report report_of(const DistancePath& path) {
    Report report;
    report.title = "Distance";
    Table table;
    table.title = fmt::format("Distance of {} and {}: {:.6f}", path.steps.front().name,
                              path.steps.back().name, path.distance);
    table.columns = {{.name = "", .numbers = false},
                     {.name = "id", .numbers = false},
                     {.name = "category", .numbers = false},
                     {.name = "weight"}};
    for (const DistanceStep& step : path.steps) {
        Cell weight;
        if (!step.edge.empty()) weight = Number{step.weight, Unit::number, 6};
        table.add({step.edge, step.id, step.name, std::move(weight)});
    }
    const DistanceReading reading = distance_named(path.definition);
    table.notes.push_back(fmt::format("Distance {}: {}. The weights of the steps add up to it.",
                                      spelled_distance(reading), facts_of(reading).is));
    report.sections = {{.title = "", .blocks = {std::move(table)}, .sections = {}}};
    report.records = table_of(path.steps);
    report.result = to_json(path);
    return report;
}

}  // namespace assay::mad
