// The distance of two classes in a hierarchy (the MAD competition's equation 3), in integers.
//
// An edge whose upper end is l edges below the root weighs 2^-l. So confusing a dog with a hammer
// counts more than confusing two dogs. For nodes with several parents, the definition does not say
// which path to use. The readings of it differ a lot, so a result names its reading.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/data/hierarchy.h"

namespace assay::mad {

enum class DistanceReading : std::uint8_t {
    tree_path,
    ancestor_min,
    ancestor_max,
    graph_closure_min,
    graph_closure_max,
    graph_full_min,
    graph_full_max,
    hop,
    hop_full,
    zero_one,
    matrix,  ///< the distance from the user's own file
};

struct DistanceFacts {
    DistanceReading reading;
    std::string_view name;
    std::string_view is;  ///< one line
    bool weighted;        ///< edges weigh 2^-l; otherwise all weigh 1
    bool metric;          ///< true if the triangle inequality holds
};
const std::vector<DistanceFacts>& distance_table();
const DistanceFacts& facts_of(DistanceReading reading);
/// True if this reading of the definition needs no hierarchy.
constexpr bool no_hierarchy(DistanceReading reading) {
    return reading == DistanceReading::zero_one || reading == DistanceReading::matrix;
}
/// The name in the command line's spelling: "tree-path".
std::string spelled_distance(DistanceReading reading);
/// True if nodes that are no ancestors of the classes matter.
bool needs_whole_hierarchy(DistanceReading reading);
/// Throws usage for such a reading with the hierarchy "imagenet", which only has ancestors.
void refuse_part_of_hierarchy(DistanceReading reading, std::string_view hierarchy);
/// Finds a reading by name; '-' and '_' are equivalent. Throws usage with the known names.
DistanceReading distance_named(std::string_view name);

/// Distances of all pairs of classes, in units of 2^-20 (weighted readings) or whole edges times
/// 2^20. Symmetric, 0 on the diagonal. 4 bytes per pair.
class ClassDistances {
public:
    static constexpr double unit = 1.0 / (1 << 20);

    /// Makes the distances by a reading. The depth of a node is its number of edges from the root.
    ///
    /// - tree_path: every way from the root to a class is a path of a tree. The distance is the
    ///   shortest over pairs of such paths, with depths counted along them. The authors' code does
    ///   this.
    ///
    /// - ancestor_min, ancestor_max: up to a common ancestor and down again, by the cheapest path.
    ///   A node with several parents has its smallest, or its largest, depth.
    ///
    /// - graph_closure_*, graph_full_*: the shortest way over edges in either direction, which may
    ///   go down to a common descendant. The way uses the classes' ancestors, or all nodes. This
    ///   follows the text literally.
    ///
    /// - hop: as ancestor_min, with weight 1 for all edges. hop_full: as graph_full, with weight 1.
    ///
    /// - zero_one: 1 if the classes differ.
    ///
    /// - matrix: not from a hierarchy; throws usage.
    ///
    /// Cost: tree_path and ancestors: classes^2 x ancestors of a class; graphs: one search per
    /// class. Throws bad_input as Hierarchy::nodes_of(). With weights, throws bad_input for a class
    /// more than 21 edges below the root, because the unit 2^-20 cannot represent its edge. Also
    /// throws bad_input for a class with more than 10,000 ancestors, and for more than 32,768
    /// classes.
    ClassDistances(const Hierarchy& hierarchy, const ClassList& classes, DistanceReading reading);
    /// The reading zero_one, which needs no hierarchy.
    explicit ClassDistances(std::uint32_t classes);
    /// Makes the distances from `units`: row by row, symmetric, 0 on the diagonal. Throws bad_input
    /// for more than 32,768 classes.
    ClassDistances(std::uint32_t classes, std::vector<std::uint32_t> units,
                   DistanceReading reading);

    std::uint32_t classes() const noexcept { return classes_; }
    DistanceReading reading() const noexcept { return reading_; }
    std::uint32_t units(std::uint32_t a, std::uint32_t b) const {
        return units_[std::size_t{a} * classes_ + b];
    }
    double operator()(std::uint32_t a, std::uint32_t b) const { return units(a, b) * unit; }
    /// All distances, row by row.
    std::span<const std::uint32_t> all() const noexcept { return units_; }

private:
    std::uint32_t classes_ = 0;
    DistanceReading reading_ = DistanceReading::zero_one;
    std::vector<std::uint32_t> units_;
};

}  // namespace assay::mad
