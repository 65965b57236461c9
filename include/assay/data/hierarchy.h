// A hierarchy of categories: nodes below one root. Some of the nodes are classes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/data/class_list.h"

namespace assay {

/// A directed graph without cycles, in which every node but the root has one or more parents.
class Hierarchy {
public:
    struct Edge {
        std::uint32_t child = 0, parent = 0;
        bool operator==(const Edge&) const = default;
    };

    /// `names` has one name per id, for people; if empty, the ids are used. Throws bad_input for a
    /// repeated or empty id, an edge to an unknown node, a repeated edge, a cycle, no root or
    /// several roots. The message names the nodes. `source` is the name of the file in messages.
    Hierarchy(std::vector<std::string> ids, std::vector<std::string> names, std::vector<Edge> edges,
              const std::string& source);

    std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(ids_.size()); }
    const std::string& id(std::uint32_t node) const { return ids_.at(node); }
    const std::string& name(std::uint32_t node) const {
        return names_.empty() ? id(node) : names_.at(node);
    }
    std::uint32_t root() const noexcept { return root_; }
    /// The parents in the order in which the edges were given.
    std::span<const std::uint32_t> parents(std::uint32_t node) const { return up_.of(node); }
    std::span<const std::uint32_t> children(std::uint32_t node) const { return down_.of(node); }
    std::size_t edges() const noexcept { return up_.nodes.size(); }
    /// The number of edges on the shortest and on the longest path to the root.
    std::uint32_t least_depth(std::uint32_t node) const { return least_.at(node); }
    std::uint32_t most_depth(std::uint32_t node) const { return most_.at(node); }
    /// All nodes, sorted so that each comes after all of its parents.
    const std::vector<std::uint32_t>& from_the_root() const noexcept { return order_; }

    /// Finds a node by id, else by name (ignoring case, blanks, '-' and '_') if only one node has
    /// it.
    std::optional<std::uint32_t> find(std::string_view id_or_name) const;
    /// The node of each class, by its id, else by its name. Throws bad_input for classes that are
    /// no nodes, with the nearest names, and for two classes with the same node.
    std::vector<std::uint32_t> nodes_of(const ClassList& classes) const;
    /// The hierarchy of these nodes and all their ancestors, in the same order.
    Hierarchy ancestors_of(std::span<const std::uint32_t> nodes) const;

private:
    struct Links {
        std::vector<std::uint32_t> begins, nodes;
        std::span<const std::uint32_t> of(std::uint32_t node) const {
            return std::span(nodes).subspan(begins.at(node), begins.at(node + 1) - begins[node]);
        }
    };
    static Links links_of(std::uint32_t nodes, const std::vector<Edge>& edges, bool up);
    /// The nodes with this name.
    std::span<const std::uint32_t> called(std::string_view text) const;
    void find_root(const std::string& source);
    void sort_from_the_root(const std::string& source);

    std::vector<std::string> ids_, names_;
    std::vector<std::uint32_t> by_id_, by_name_;
    Links up_, down_;
    std::uint32_t root_ = 0;
    std::vector<std::uint32_t> least_, most_, order_;
};

/// The 1000 ImageNet classes and all their ancestors in WordNet 3.0: 1,860 nouns, ids = WordNet
/// ids. Built in.
const Hierarchy& imagenet_hierarchy();

/// Reads a hierarchy from a file in one of these formats.
///   Csv with columns `child` and `parent` (or `id` and `parents`, separated by blanks; perhaps
///       `name`). Each row is an edge; a row without a parent is a node.
///   Lines "PARENT CHILD" of WordNet ids (ImageNet's wordnet.is_a.txt).
///   WordNet's data.noun, or the folder that holds it: hypernyms, and instances of them.
///   A tree in JSON: {"name": ..., "children": [...]}, whose leaves may say "class" for "name".
/// At most 1,000,000 nodes. Throws bad_input with file, line, value and what is allowed.
Hierarchy read_hierarchy(const std::filesystem::path& path);
/// Returns ImageNet's hierarchy for "imagenet", otherwise reads a file in a format listed above.
Hierarchy hierarchy_named(const std::string& name_or_path);

}  // namespace assay
