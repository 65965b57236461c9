#include "assay/data/class_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/text.h"

namespace assay {

ClassTree::ClassTree(const Hierarchy& hierarchy, const ClassList& classes) {
    const std::vector<std::uint32_t> nodes = hierarchy.nodes_of(classes);
    heights_.assign(hierarchy.size(), 0);
    std::set<std::uint32_t> several;
    way_begins_.push_back(0);
    for (const std::uint32_t node : nodes) {
        std::vector<std::uint32_t> way = {node};
        while (way.back() != hierarchy.root()) {
            const auto above = hierarchy.parents(way.back());
            if (above.size() > 1) several.insert(way.back());
            way.push_back(above.front());
        }
        std::reverse(way.begin(), way.end());
        const auto deep = static_cast<std::uint32_t>(way.size() - 1);
        for (std::uint32_t level = 0; level <= deep; ++level)
            heights_[way[level]] = std::max(heights_[way[level]], deep - level);
        deepest_ = std::max(deepest_, deep);
        ways_.insert(ways_.end(), way.begin(), way.end());
        way_begins_.push_back(ways_.size());
    }
    if (several.empty()) return;
    const std::uint32_t first = *several.begin();
    const auto above = hierarchy.parents(first);
    notes_.push_back(fmt::format(
        "{} of the nodes above the classes {} several parents; the first one counts (for `{}`: "
        "`{}`, not `{}`)",
        several.size(), several.size() == 1 ? "has" : "have", shortened(hierarchy.name(first)),
        shortened(hierarchy.name(above[0])), shortened(hierarchy.name(above[1]))));
}

std::uint32_t ClassTree::ancestor(std::int32_t cls, std::uint32_t level) const {
    const auto way = way_to(cls);
    return way[std::min<std::size_t>(level, way.size() - 1)];
}

std::uint32_t ClassTree::ancestors_at(std::uint32_t level) const {
    std::set<std::uint32_t> different;
    for (std::uint32_t c = 0; c < classes(); ++c)
        different.insert(ancestor(static_cast<std::int32_t>(c), level));
    return static_cast<std::uint32_t>(different.size());
}

std::vector<std::uint32_t> ClassTree::telling_levels() const {
    std::vector<std::uint32_t> levels;
    for (std::uint32_t level = 1; level <= deepest_; ++level) {
        const std::uint32_t nodes = ancestors_at(level);
        if (nodes >= 2 && nodes < classes()) levels.push_back(level);
    }
    return levels;
}

std::size_t ClassTree::common(std::int32_t one, std::int32_t other) const {
    const auto a = way_to(one), b = way_to(other);
    return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

bool ClassTree::siblings(std::int32_t one, std::int32_t other) const {
    const std::size_t above = common(one, other);
    return one != other && way_to(one).size() == above + 1 && way_to(other).size() == above + 1;
}

std::uint32_t ClassTree::distance(std::int32_t one, std::int32_t other) const {
    return static_cast<std::uint32_t>(way_to(one).size() + way_to(other).size() -
                                      2 * common(one, other));
}

std::uint32_t ClassTree::ancestor_height(std::int32_t one, std::int32_t other) const {
    return one == other ? 0 : heights_[way_to(one)[common(one, other) - 1]];
}

std::uint32_t ClassTree::height() const {
    return ways_.empty() ? 0 : heights_[ways_.front()];
}

}  // namespace assay
