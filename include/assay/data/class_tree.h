// The position of a classifier's classes in a tree: their ancestors at each level, and the distance
// between two classes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/data/hierarchy.h"

namespace assay {

/// The classes and all their ancestors. Level 0 is the root. A class above a level counts as its
/// own ancestor at that level. Memory: 4 bytes for each class and level.
class ClassTree {
public:
    /// If a node has several parents, the tree uses the first, because distances need a single path
    /// to the root. notes() mentions this. Throws bad_input for classes that are not nodes
    /// (Hierarchy::nodes_of()).
    ClassTree(const Hierarchy& hierarchy, const ClassList& classes);

    std::uint32_t classes() const noexcept {
        return static_cast<std::uint32_t>(way_begins_.size() - 1);
    }
    /// The level of the deepest class.
    std::uint32_t deepest() const noexcept { return deepest_; }
    /// A number for the ancestor of a class at a level. Two classes share the ancestor if their
    /// numbers are equal.
    std::uint32_t ancestor(std::int32_t cls, std::uint32_t level) const;
    /// The number of different ancestors that the classes have at a level.
    std::uint32_t ancestors_at(std::uint32_t level) const;
    /// The levels that group the classes: those with at least 2 ancestors, but fewer than there are
    /// classes. Ascending.
    std::vector<std::uint32_t> telling_levels() const;

    /// True if two different classes have the same parent.
    bool siblings(std::int32_t one, std::int32_t other) const;
    /// The number of edges on the path between two classes.
    std::uint32_t distance(std::int32_t one, std::int32_t other) const;
    /// The height of the lowest common ancestor: the number of edges from it down to the deepest
    /// class below it. It is 0 for equal classes.
    std::uint32_t ancestor_height(std::int32_t one, std::int32_t other) const;
    /// The height of the root.
    std::uint32_t height() const;

    /// Notes that say how ambiguous nodes were interpreted.
    const std::vector<std::string>& notes() const noexcept { return notes_; }

private:
    /// The nodes from the root down to the class.
    std::span<const std::uint32_t> way_to(std::int32_t cls) const {
        const auto c = static_cast<std::size_t>(cls);
        return std::span(ways_).subspan(way_begins_.at(c), way_begins_.at(c + 1) - way_begins_[c]);
    }
    /// The number of nodes that both paths share.
    std::size_t common(std::int32_t one, std::int32_t other) const;

    std::vector<std::size_t> way_begins_;
    std::vector<std::uint32_t> ways_;
    std::vector<std::uint32_t> heights_;  ///< heights of the nodes
    std::uint32_t deepest_ = 0;
    std::vector<std::string> notes_;
};

}  // namespace assay
