// The readings of the distance between classes. Results are ordered by class, in units of 2^-20.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/data/hierarchy.h"

namespace assay::mad {

/// The weight of an edge whose parent has this depth.
using EdgeWeight = std::uint32_t (*)(std::uint32_t depth);
inline std::uint32_t halving_weight(std::uint32_t depth) {
    return (std::uint32_t{1} << 20) >> depth;
}
inline std::uint32_t equal_weight(std::uint32_t) {
    return std::uint32_t{1} << 20;
}

/// Throws bad_input if a node is deeper than the unit of distances can represent.
void refuse_deep(const Hierarchy& hierarchy, std::span<const std::uint32_t> nodes, bool weighted);

void tree_path_distances(const Hierarchy& hierarchy, std::span<const std::uint32_t> classes,
                         std::vector<std::uint32_t>& units);
/// With `most`, a node's depth is its longest path to the root.
void ancestor_distances(const Hierarchy& hierarchy, std::span<const std::uint32_t> classes,
                        EdgeWeight weight, bool most, std::vector<std::uint32_t>& units);
void graph_distances(const Hierarchy& hierarchy, std::span<const std::uint32_t> classes,
                     EdgeWeight weight, bool most, std::vector<std::uint32_t>& units);

}  // namespace assay::mad
