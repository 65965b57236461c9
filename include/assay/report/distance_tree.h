// A figure of the ways between classes: the part of the hierarchy with them, as boxes and edges.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "assay/data/hierarchy.h"
#include "assay/mad/distance_path.h"
#include "assay/report/draw.h"

namespace assay {

struct DistanceTreeNode {
    std::string text;                 ///< its name without synonyms, or its id if that is ambiguous
    std::vector<std::size_t> ways{};  ///< those through it
    bool end = false;                 ///< a way begins or ends here
};
struct DistanceTreeEdge {
    std::size_t upper = 0, lower = 0;  ///< indices of nodes
    std::string label{};               ///< its weight; with several, "0.125 / 0.5"
    std::vector<std::size_t> ways{};   ///< those along it
    bool dashed = false;               ///< several edges, whose nodes are not drawn
};
/// The nodes of some ways, and those between the highest node of each way and the root. A way that
/// goes up and down several times has other peaks, which have no line to the root. A chain of at
/// least two nodes on no way is one dashed edge.
struct DistanceTree {
    std::vector<std::string> ways;  ///< "tench – goldfish: 0.0005"
    std::vector<DistanceTreeNode> nodes;
    std::vector<DistanceTreeEdge> edges;
};

inline constexpr std::size_t most_distance_ways = 4;

/// `paths` are of `hierarchy`. Throws usage for none, or more than most_distance_ways.
DistanceTree distance_tree(const Hierarchy& hierarchy, std::span<const mad::DistancePath> paths);
/// Returns the bytes of the file, which are the same for equal trees. Each way has a color. Names
/// are shortened if the figure is too narrow. Throws usage if there is no room for all boxes.
std::string draw(const DistanceTree& tree, PlotFormat format, const DrawOptions& options = {});

}  // namespace assay
