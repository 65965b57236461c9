// Where the classes of a classifier are in a tree of kinds: their ancestors at each level, and how
// far two of them are apart.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/data/hierarchy.h"

namespace assay {

/// The classes and all that is above them. Level 0 is the root; a class that is less deep than a
/// level is its own ancestor there. Memory: 4 bytes for each class and level.
class ClassTree {
public:
    /// A node with several parents takes the first one, because distances need one way up; notes()
    /// says so. Throws bad_input: classes that are no nodes (Hierarchy::nodes_of()).
    ClassTree(const Hierarchy& hierarchy, const ClassList& classes);

    std::uint32_t classes() const noexcept {
        return static_cast<std::uint32_t>(way_begins_.size() - 1);
    }
    /// The level of the deepest class.
    std::uint32_t deepest() const noexcept { return deepest_; }
    /// A number of the node; two classes have one ancestor where theirs are the same.
    std::uint32_t ancestor(std::int32_t cls, std::uint32_t level) const;
    /// How many different ancestors the classes have there.
    std::uint32_t ancestors_at(std::uint32_t level) const;
    /// The levels that tell classes apart and do not tell all: those with 2 ancestors or more, and
    /// fewer than classes. Ascending.
    std::vector<std::uint32_t> telling_levels() const;

    /// Edges of the way from one class to the other.
    std::uint32_t distance(std::int32_t one, std::int32_t other) const;
    /// Height of the lowest common ancestor: edges from it down to the deepest class below it. 0 of
    /// a class with itself.
    std::uint32_t ancestor_height(std::int32_t one, std::int32_t other) const;
    /// Height of the root.
    std::uint32_t height() const;

    /// What was taken for what, for people.
    const std::vector<std::string>& notes() const noexcept { return notes_; }

private:
    /// From the root down to the class itself.
    std::span<const std::uint32_t> way_to(std::int32_t cls) const {
        const auto c = static_cast<std::size_t>(cls);
        return std::span(ways_).subspan(way_begins_.at(c), way_begins_.at(c + 1) - way_begins_[c]);
    }
    /// Nodes that both ways have.
    std::size_t common(std::int32_t one, std::int32_t other) const;

    std::vector<std::size_t> way_begins_;
    std::vector<std::uint32_t> ways_;
    std::vector<std::uint32_t> heights_;  ///< of the nodes
    std::uint32_t deepest_ = 0;
    std::vector<std::string> notes_;
};

}  // namespace assay
