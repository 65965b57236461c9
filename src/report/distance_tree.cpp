#include "assay/report/distance_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "assay/error.h"
#include "core/short_names.h"

namespace assay {
namespace {

/// Adds a weight to the label of an edge, unless the label has it: "0.125 / 0.5".
void add_weight(std::string& label, const std::string& weight) {
    const std::string between = " / ";
    if (label.empty())
        label = weight;
    else if ((between + label + between).find(between + weight + between) == std::string::npos)
        label += between + weight;
}

/// True if the depth of a node is its longest way to the root.
bool counts_longest(mad::DistanceReading reading) {
    using enum mad::DistanceReading;
    return reading == tree_path || reading == ancestor_max || reading == graph_closure_max ||
           reading == graph_full_max;
}

/// Joins the ways of all pairs: a node that several of them use is there once.
class DistanceTreeMaker {
public:
    explicit DistanceTreeMaker(const Hierarchy& hierarchy) : hierarchy_(hierarchy) {}

    void add(const mad::DistancePath& path) {
        const std::size_t way = tree_.ways.size();
        std::vector<std::uint32_t> nodes;
        for (const mad::DistanceStep& step : path.steps)
            nodes.push_back(hierarchy_.find(step.id).value());
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            DistanceTreeNode& node = tree_.nodes[place_of(nodes[i])];
            add_way(node.ways, way);
            node.end = node.end || i == 0 || i + 1 == nodes.size();
            if (i == 0) continue;
            const bool up = path.steps[i].edge == "up";
            DistanceTreeEdge& edge =
                up ? edge_of(nodes[i], nodes[i - 1]) : edge_of(nodes[i - 1], nodes[i]);
            // With tree-path, the weight depends on the common node of the pair.
            add_weight(edge.label, fmt::format("{:.3g}", path.steps[i].weight));
            add_way(edge.ways, way);
        }
        add_above(mad::distance_named(path.definition), nodes);
        tree_.ways.emplace_back();
    }

    /// `paths` are those that were added.
    DistanceTree made(std::span<const mad::DistancePath> paths) {
        shorten();
        leave_out_unused();
        set_names(paths);
        return std::move(tree_);
    }

private:
    static void add_way(std::vector<std::size_t>& ways, std::size_t way) {
        if (ways.empty() || ways.back() != way) ways.push_back(way);
    }

    std::size_t place_of(std::uint32_t node) {
        const auto [at, is_new] = places_.emplace(node, tree_.nodes.size());
        if (is_new) tree_.nodes.push_back({.text = hierarchy_.id(node)});
        return at->second;
    }

    DistanceTreeEdge& edge_of(std::uint32_t upper_node, std::uint32_t lower_node) {
        const std::size_t upper = place_of(upper_node), lower = place_of(lower_node);
        const auto found = std::ranges::find_if(tree_.edges, [&](const DistanceTreeEdge& edge) {
            return edge.upper == upper && edge.lower == lower;
        });
        if (found != tree_.edges.end()) return *found;
        tree_.edges.push_back({.upper = upper, .lower = lower});
        return tree_.edges.back();
    }

    /// From the highest node up to the root, along the parents by which the depth is counted.
    void add_above(mad::DistanceReading reading, const std::vector<std::uint32_t>& nodes) {
        const auto depth = [&](std::uint32_t node) {
            return counts_longest(reading) ? hierarchy_.most_depth(node)
                                           : hierarchy_.least_depth(node);
        };
        std::uint32_t node = *std::ranges::min_element(nodes, {}, depth);
        while (depth(node) > 0) {
            const std::uint32_t parent = *std::ranges::find_if(
                hierarchy_.parents(node),
                [&](std::uint32_t one) { return depth(one) + 1 == depth(node); });
            edge_of(parent, node);
            node = parent;
        }
    }

    void shorten() {
        std::vector<std::size_t> above(tree_.nodes.size(), 0), below(tree_.nodes.size(), 0);
        for (const DistanceTreeEdge& edge : tree_.edges) {
            ++below[edge.upper];
            ++above[edge.lower];
        }
        const auto is_link = [&](std::size_t node) {
            return tree_.nodes[node].ways.empty() && above[node] == 1 && below[node] == 1;
        };
        std::vector<DistanceTreeEdge> edges;
        for (const DistanceTreeEdge& first : tree_.edges) {
            if (is_link(first.upper)) continue;  // inside a chain
            std::vector<DistanceTreeEdge> chain = {first};
            while (is_link(chain.back().lower))
                chain.push_back(
                    *std::ranges::find(tree_.edges, chain.back().lower, &DistanceTreeEdge::upper));
            if (chain.size() < 3) {
                edges.insert(edges.end(), chain.begin(), chain.end());
                continue;
            }
            edges.push_back({.upper = first.upper,
                             .lower = chain.back().lower,
                             .label = fmt::format("{} edges", chain.size()),
                             .dashed = true});
        }
        tree_.edges = std::move(edges);
    }

    void leave_out_unused() {
        std::vector<bool> used(tree_.nodes.size(), false);
        for (const DistanceTreeEdge& edge : tree_.edges) used[edge.upper] = used[edge.lower] = true;
        std::vector<std::size_t> now(tree_.nodes.size(), 0);
        std::vector<DistanceTreeNode> nodes;
        for (std::size_t n = 0; n < tree_.nodes.size(); ++n) {
            now[n] = nodes.size();
            if (used[n] || !tree_.nodes[n].ways.empty()) nodes.push_back(std::move(tree_.nodes[n]));
        }
        tree_.nodes = std::move(nodes);
        for (DistanceTreeEdge& edge : tree_.edges) {
            edge.upper = now[edge.upper];
            edge.lower = now[edge.lower];
        }
    }

    /// Until now, the text of a node is its id.
    void set_names(std::span<const mad::DistancePath> paths) {
        std::vector<std::string> ids, names;
        for (const DistanceTreeNode& node : tree_.nodes) {
            ids.push_back(node.text);
            names.push_back(hierarchy_.name(hierarchy_.find(node.text).value()));
        }
        const std::vector<std::string> texts = short_names(ids, names);
        std::map<std::string, std::string> text_of;
        for (std::size_t n = 0; n < ids.size(); ++n) {
            tree_.nodes[n].text = texts[n];
            text_of[ids[n]] = texts[n];
        }
        for (std::size_t way = 0; way < paths.size(); ++way)
            tree_.ways[way] = fmt::format("{} – {}: {:.4g}", text_of.at(paths[way].first),
                                          text_of.at(paths[way].second), paths[way].distance);
    }

    const Hierarchy& hierarchy_;
    DistanceTree tree_;
    std::map<std::uint32_t, std::size_t> places_;
};

}  // namespace

DistanceTree distance_tree(const Hierarchy& hierarchy, std::span<const mad::DistancePath> paths) {
    if (paths.empty() || paths.size() > most_distance_ways)
        throw Error(ErrorCode::usage,
                    fmt::format("{} pairs of classes in a figure; allowed: 1 to {}", paths.size(),
                                most_distance_ways));
    DistanceTreeMaker maker(hierarchy);
    for (const mad::DistancePath& path : paths) maker.add(path);
    return maker.made(paths);
}

}  // namespace assay
