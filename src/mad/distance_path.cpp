#include "assay/mad/distance_path.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "assay/describe_result.h"
#include "assay/error.h"
#include "core/result_table.h"
#include "core/text.h"
#include "mad/cheapest_paths.h"
#include "mad/distance_readings.h"

namespace assay::mad {
namespace {

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

/// The shortest way over a common ancestor. Read as a tree, depths are counted along the longest
/// way to the common node.
WeighedWay way_over_ancestor(const Hierarchy& hierarchy, std::uint32_t first, std::uint32_t second,
                             const std::vector<std::uint32_t>& weights, bool tree) {
    CheapestPaths a(hierarchy, weights), b(hierarchy, weights);
    a.from(first, false);
    b.from(second, false);
    WeighedWay best;
    std::uint32_t length = CheapestPaths::not_reached;
    for (std::uint32_t node = 0; node < hierarchy.size(); ++node) {
        if (a.cost()[node] == CheapestPaths::not_reached ||
            b.cost()[node] == CheapestPaths::not_reached)
            continue;
        WeighedWay way =
            up_and_down(a.to(node), b.to(node), [&](std::uint32_t upper, std::size_t below) {
                if (!tree) return weights[upper];
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
                           std::vector<std::uint32_t> weights) {
    CheapestPaths paths(hierarchy, std::move(weights));
    const std::vector<std::uint32_t>& cost = paths.from(first, true);
    WeighedWay out{paths.to(second), {0}};
    for (std::size_t i = 1; i < out.nodes.size(); ++i)
        out.weights.push_back(cost[out.nodes[i]] - cost[out.nodes[i - 1]]);
    return out;
}

WeighedWay way_by(const Hierarchy& hierarchy, DistanceReading reading, std::uint32_t first,
                  std::uint32_t second) {
    using enum DistanceReading;
    const auto over_ancestor = [&](EdgeWeight weight, bool most, bool tree = false) {
        return way_over_ancestor(hierarchy, first, second, edge_weights(hierarchy, weight, most),
                                 tree);
    };
    const auto along_edges = [&](EdgeWeight weight, bool most) {
        return way_along_edges(hierarchy, first, second, edge_weights(hierarchy, weight, most));
    };
    switch (reading) {
        case tree_path:
            return over_ancestor(equal_weight, false, true);
        case ancestor_min:
            return over_ancestor(halving_weight, false);
        case ancestor_max:
            return over_ancestor(halving_weight, true);
        case hop:
            return over_ancestor(equal_weight, false);
        case graph_closure_min:
        case graph_full_min:
            return along_edges(halving_weight, false);
        case graph_closure_max:
        case graph_full_max:
            return along_edges(halving_weight, true);
        case hop_full:
            return along_edges(equal_weight, false);
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
