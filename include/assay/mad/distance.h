// How far two classes are apart in a hierarchy (the MAD competition's equation 3), in integers.
//
// An edge whose upper end is l edges below the root weighs 2^-l: confusing a dog with a hammer
// counts more than confusing two dogs. Nodes with several parents leave open which path is meant,
// and the readings differ a lot; a result says which one it took.
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
    matrix,  ///< of a file of one's own
};

struct DistanceFacts {
    DistanceReading reading;
    std::string_view name;
    std::string_view is;  ///< one line
    bool weighted;        ///< edges weigh 2^-l; else all weigh 1
    bool metric;          ///< the triangle inequality holds
};
const std::vector<DistanceFacts>& distance_table();
const DistanceFacts& facts_of(DistanceReading reading);
/// Whether the reading looks at no hierarchy.
constexpr bool no_hierarchy(DistanceReading reading) {
    return reading == DistanceReading::zero_one || reading == DistanceReading::matrix;
}
/// By name; '-' and '_' are alike. Throws usage with the known names.
DistanceReading distance_named(std::string_view name);

/// Distances of all pairs of classes, in units of 2^-20 (weighted readings) or whole edges times
/// 2^20. Symmetric, 0 on the diagonal. 4 bytes a pair.
class ClassDistances {
public:
    static constexpr double unit = 1.0 / (1 << 20);

    /// Readings, with depth the number of edges from the root:
    ///  - tree_path: every way from the root to a class is a path of a tree; the shortest over
    ///  pairs
    ///    of such paths, depths counted along them. What the authors ran.
    ///  - ancestor_min, ancestor_max: up to a common ancestor and down again, the cheapest one;
    ///    depth of a node with several parents: its least, or its most.
    ///  - graph_closure_*, graph_full_*: the shortest way over edges in either direction, which may
    ///    go down to a common descendant; among the nodes above the classes, or all. The text taken
    ///    literally.
    ///  - hop: as ancestor_min with all edges of weight 1; hop_full: as graph_full with these.
    ///  - zero_one: 1 where the classes differ.
    ///  - matrix: not from a hierarchy; throws usage.
    /// Cost: tree_path and ancestors: classes^2 x ancestors of a class; graphs: one search a class.
    /// Throws bad_input: as Hierarchy::nodes_of(); with weights, a class more than 21 edges below
    /// the root, whose edge 2^-20 does not hold; a class with more than 10,000 ancestors; more than
    /// 32,768 classes.
    ClassDistances(const Hierarchy& hierarchy, const ClassList& classes, DistanceReading reading);
    /// zero_one, which needs no hierarchy.
    explicit ClassDistances(std::uint32_t classes);
    /// Those that are worked out already: `units` row by row, symmetric, 0 on the diagonal. Throws
    /// bad_input: more than 32,768 classes.
    ClassDistances(std::uint32_t classes, std::vector<std::uint32_t> units,
                   DistanceReading reading);

    std::uint32_t classes() const noexcept { return classes_; }
    DistanceReading reading() const noexcept { return reading_; }
    std::uint32_t units(std::uint32_t a, std::uint32_t b) const {
        return units_[std::size_t{a} * classes_ + b];
    }
    double operator()(std::uint32_t a, std::uint32_t b) const { return units(a, b) * unit; }
    /// Row by row.
    std::span<const std::uint32_t> all() const noexcept { return units_; }

private:
    std::uint32_t classes_ = 0;
    DistanceReading reading_ = DistanceReading::zero_one;
    std::vector<std::uint32_t> units_;
};

}  // namespace assay::mad
