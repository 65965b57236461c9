#include "assay/data/hierarchy.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "assay/error.h"
#include "core/refuse.h"
#include "core/text.h"

namespace assay {
namespace {

constexpr std::uint32_t no_node = std::numeric_limits<std::uint32_t>::max();
/// The most nodes that a message lists.
constexpr std::size_t most_named = 5;

std::string listed(const std::vector<std::string>& names, std::string_view of) {
    const std::size_t shown = std::min(names.size(), most_named);
    return fmt::format(
        "{} {} ({}{})", names.size(), of,
        fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
        names.size() > shown ? ", ..." : "");
}

}  // namespace

Hierarchy::Hierarchy(std::vector<std::string> ids, std::vector<std::string> names,
                     std::vector<Edge> edges, const std::string& source)
    : ids_(std::move(ids)), names_(std::move(names)) {
    if (ids_.empty()) refuse(source + ": no node");
    if (!names_.empty() && names_.size() != ids_.size())
        refuse(fmt::format("{}: {} names for {} nodes", source, names_.size(), ids_.size()));
    by_id_.resize(ids_.size());
    std::iota(by_id_.begin(), by_id_.end(), 0U);
    std::sort(by_id_.begin(), by_id_.end(), [&](auto a, auto b) { return ids_[a] < ids_[b]; });
    for (std::size_t i = 0; i < by_id_.size(); ++i) {
        if (ids_[by_id_[i]].empty()) refuse(source + ": a node without an id");
        if (i > 0 && ids_[by_id_[i]] == ids_[by_id_[i - 1]])
            refuse(
                fmt::format("{}: the node `{}` appears twice", source, shortened(ids_[by_id_[i]])));
    }
    by_name_ = by_id_;
    std::vector<std::string> loose(ids_.size());
    for (std::uint32_t i = 0; i < size(); ++i) loose[i] = loose_name(name(i));
    std::sort(by_name_.begin(), by_name_.end(),
              [&](auto a, auto b) { return loose[a] < loose[b]; });

    for (const Edge& edge : edges) {
        if (edge.child >= size() || edge.parent >= size())
            refuse(fmt::format("{}: an edge of the node {} of {}", source,
                               std::max(edge.child, edge.parent), size()));
    }
    up_ = links_of(size(), edges, true);
    down_ = links_of(size(), edges, false);
    for (std::uint32_t node = 0; node < size(); ++node) {
        std::vector<std::uint32_t> above(parents(node).begin(), parents(node).end());
        std::sort(above.begin(), above.end());
        const auto twice = std::adjacent_find(above.begin(), above.end());
        if (twice != above.end())
            refuse(fmt::format("{}: the edge from `{}` to `{}` appears twice", source,
                               shortened(id(node)), shortened(id(*twice))));
    }
    find_root(source);
    sort_from_the_root(source);
}

Hierarchy::Links Hierarchy::links_of(std::uint32_t nodes, const std::vector<Edge>& edges, bool up) {
    Links links;
    links.begins.assign(std::size_t{nodes} + 1, 0);
    for (const Edge& edge : edges) ++links.begins[(up ? edge.child : edge.parent) + 1];
    std::partial_sum(links.begins.begin(), links.begins.end(), links.begins.begin());
    links.nodes.resize(edges.size());
    std::vector<std::uint32_t> at(links.begins.begin(), links.begins.end() - 1);
    for (const Edge& edge : edges)
        links.nodes[at[up ? edge.child : edge.parent]++] = up ? edge.parent : edge.child;
    return links;
}

void Hierarchy::find_root(const std::string& source) {
    std::vector<std::string> roots;
    for (std::uint32_t node = 0; node < size(); ++node) {
        if (!parents(node).empty()) continue;
        root_ = node;
        roots.push_back("`" + shortened(id(node)) + "`");
    }
    if (roots.empty()) refuse(source + ": every node has a parent, so the hierarchy is circular");
    if (roots.size() > 1)
        refuse(fmt::format("{}: {} instead of one; add a node above them", source,
                           listed(roots, "nodes without a parent")));
}

void Hierarchy::sort_from_the_root(const std::string& source) {
    least_.assign(size(), no_node);
    most_.assign(size(), 0);
    least_[root_] = 0;
    std::vector<std::uint32_t> waiting(size());
    for (std::uint32_t node = 0; node < size(); ++node)
        waiting[node] = static_cast<std::uint32_t>(parents(node).size());
    order_.reserve(size());
    order_.push_back(root_);
    for (std::size_t at = 0; at < order_.size(); ++at) {
        const std::uint32_t node = order_[at];
        for (const std::uint32_t child : children(node)) {
            least_[child] = std::min(least_[child], least_[node] + 1);
            most_[child] = std::max(most_[child], most_[node] + 1);
            if (--waiting[child] == 0) order_.push_back(child);
        }
    }
    if (order_.size() == ids_.size()) return;
    // The remaining nodes depend on each other. A walk along their parents returns to a visited
    // node, which gives the cycle.
    std::uint32_t node = 0;
    while (waiting[node] == 0) ++node;
    std::vector<std::uint32_t> way;
    std::vector<bool> seen(size(), false);
    while (!seen[node]) {
        seen[node] = true;
        way.push_back(node);
        for (const std::uint32_t parent : parents(node)) {
            if (waiting[parent] > 0) {
                node = parent;
                break;
            }
        }
    }
    std::vector<std::string> circle;
    for (auto at = std::find(way.begin(), way.end(), node); at != way.end(); ++at)
        circle.push_back("`" + shortened(id(*at)) + "`");
    refuse(fmt::format("{}: {} are their own ancestors", source, listed(circle, "nodes")));
}

std::optional<std::uint32_t> Hierarchy::find(std::string_view id_or_name) const {
    const auto found = std::lower_bound(
        by_id_.begin(), by_id_.end(), id_or_name,
        [&](std::uint32_t node, std::string_view text) { return ids_[node] < text; });
    if (found != by_id_.end() && ids_[*found] == id_or_name) return *found;
    const std::span<const std::uint32_t> named = called(id_or_name);
    return named.size() == 1 ? std::optional(named[0]) : std::nullopt;
}

std::span<const std::uint32_t> Hierarchy::called(std::string_view text) const {
    const std::string loose = loose_name(text);
    const auto begin =
        std::partition_point(by_name_.begin(), by_name_.end(),
                             [&](std::uint32_t node) { return loose_name(name(node)) < loose; });
    const auto end = std::partition_point(
        begin, by_name_.end(), [&](std::uint32_t node) { return loose_name(name(node)) == loose; });
    return {begin, end};
}

std::vector<std::uint32_t> Hierarchy::nodes_of(const ClassList& classes) const {
    std::vector<std::uint32_t> nodes;
    std::vector<std::string> missing;
    for (std::size_t c = 0; c < classes.size(); ++c) {
        auto node = find(classes.id(c));
        if (!node) node = find(classes.name(c));
        nodes.push_back(node.value_or(no_node));
        if (node) continue;
        std::string text = fmt::format("`{}`", shortened(classes.id(c)));
        if (classes.name(c) != classes.id(c))
            text += fmt::format(" {}", shortened(classes.name(c)));
        if (const std::size_t nodes_so = called(classes.name(c)).size(); nodes_so > 1) {
            text += fmt::format(" (the name of {} nodes: take their ids)", nodes_so);
        } else if (missing.size() < most_named) {
            // Computing distances between words is slow, so it is done only for the names in the
            // message.
            std::vector<std::string> names;
            for (std::uint32_t n = 0; n < size(); ++n) names.push_back(name(n));
            const std::string near = nearest_name(classes.name(c), names);
            if (!near.empty()) text += fmt::format(" (nearest: `{}`)", shortened(near));
        }
        missing.push_back(std::move(text));
    }
    if (!missing.empty())
        refuse(
            fmt::format("{} of {} classes are not nodes of the hierarchy: {}. Give one of these "
                        "classes: --hierarchy FILE",
                        missing.size(), classes.size(), listed(missing, "missing")));
    std::vector<std::uint32_t> sorted = nodes;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) {
        const auto first = std::find(nodes.begin(), nodes.end(), *twice);
        const auto second = std::find(first + 1, nodes.end(), *twice);
        refuse(fmt::format("the classes {} and {} are both the node `{}` of the hierarchy",
                           first - nodes.begin(), second - nodes.begin(), shortened(id(*twice))));
    }
    return nodes;
}

Hierarchy Hierarchy::ancestors_of(std::span<const std::uint32_t> nodes) const {
    std::vector<bool> kept(size(), false);
    for (const std::uint32_t node : nodes) kept.at(node) = true;
    for (auto at = order_.rbegin(); at != order_.rend(); ++at) {
        if (!kept[*at]) continue;
        for (const std::uint32_t parent : parents(*at)) kept[parent] = true;
    }
    std::vector<std::uint32_t> place(size(), no_node);
    std::vector<std::string> ids, names;
    for (std::uint32_t node = 0; node < size(); ++node) {
        if (!kept[node]) continue;
        place[node] = static_cast<std::uint32_t>(ids.size());
        ids.push_back(id(node));
        if (!names_.empty()) names.push_back(name(node));
    }
    std::vector<Edge> edges;
    for (std::uint32_t node = 0; node < size(); ++node) {
        if (!kept[node]) continue;
        for (const std::uint32_t parent : parents(node))
            edges.push_back({place[node], place[parent]});
    }
    return Hierarchy(std::move(ids), std::move(names), std::move(edges), "ancestors");
}

}  // namespace assay
