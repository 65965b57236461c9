#include "assay/mad/distance.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "assay/error.h"
#include "core/refuse.h"
#include "core/text.h"
#include "mad/distance_readings.h"

namespace assay::mad {
namespace {

constexpr std::uint32_t most_classes = 32'768;
/// The largest depth of the upper end of a class's own edge, if edges weigh 2^-depth.
constexpr std::uint32_t deepest = 20;
/// This many edges of weight 1, up and down, stay below 2^32 units.
constexpr std::uint32_t deepest_hop = 1'000;

/// The reading that only needs the paths to the root.
DistanceReading without_the_rest(DistanceReading reading) {
    using enum DistanceReading;
    if (reading == graph_full_min) return graph_closure_min;
    return reading == graph_full_max ? graph_closure_max : hop;
}

}  // namespace

void refuse_deep(const Hierarchy& hierarchy, std::span<const std::uint32_t> nodes, bool weighted) {
    for (const std::uint32_t node : nodes) {
        if (!weighted && hierarchy.most_depth(node) > deepest_hop) {
            refuse(fmt::format("`{}` is {} edges below the root; at most {} are allowed",
                               shortened(hierarchy.id(node)), hierarchy.most_depth(node),
                               deepest_hop));
        }
        if (!weighted) continue;
        if (hierarchy.most_depth(node) <= deepest + 1) continue;
        refuse(fmt::format(
            "`{}` is {} edges below the root, whose weight is below 2^-{}; at most {} are allowed "
            "(1,000 for hop and hop_full)",
            shortened(hierarchy.id(node)), hierarchy.most_depth(node), deepest, deepest + 1));
    }
}

const std::vector<DistanceFacts>& distance_table() {
    using enum DistanceReading;
    static const std::vector<DistanceFacts> table = {
        {tree_path, "tree_path",
         "the shortest distance over all pairs of paths from the root, each pair read as a tree",
         true, false},
        {ancestor_min, "ancestor_min", "over the best common ancestor; depth: the shortest way",
         true, false},
        {ancestor_max, "ancestor_max", "over the best common ancestor; depth: the longest way",
         true, false},
        {graph_closure_min, "graph_closure_min",
         "shortest way up and down among what is above the classes; depth: the shortest way", true,
         true},
        {graph_closure_max, "graph_closure_max",
         "shortest way up and down among what is above the classes; depth: the longest way", true,
         true},
        {graph_full_min, "graph_full_min",
         "shortest way up and down in the whole hierarchy; depth: the shortest way", true, true},
        {graph_full_max, "graph_full_max",
         "shortest way up and down in the whole hierarchy; depth: the longest way", true, true},
        {hop, "hop", "edges up to a common ancestor and down again", false, false},
        {hop_full, "hop_full", "edges of the shortest way up and down in the whole hierarchy",
         false, true},
        {zero_one, "zero_one", "1 if the classes differ", false, true},
        {matrix, "matrix", "the numbers of a file", false, false},
    };
    return table;
}

const DistanceFacts& facts_of(DistanceReading reading) {
    return distance_table().at(static_cast<std::size_t>(reading));
}

DistanceReading distance_named(std::string_view name) {
    const std::string loose = loose_name(name);
    std::vector<std::string> names;
    for (const DistanceFacts& facts : distance_table()) {
        if (loose_name(facts.name) == loose) return facts.reading;
        names.emplace_back(facts.name);
    }
    throw Error(ErrorCode::usage,
                fmt::format("unknown distance `{}`{}", shortened(name), suggest(name, names)));
}

std::string spelled_distance(DistanceReading reading) {
    std::string name(facts_of(reading).name);
    std::ranges::replace(name, '_', '-');
    return name;
}

bool needs_whole_hierarchy(DistanceReading reading) {
    using enum DistanceReading;
    return reading == graph_full_min || reading == graph_full_max || reading == hop_full;
}

void refuse_part_of_hierarchy(DistanceReading reading, std::string_view hierarchy) {
    if (!needs_whole_hierarchy(reading) || hierarchy != "imagenet") return;
    throw Error(
        ErrorCode::usage,
        fmt::format("the distance {} needs all of WordNet, but the hierarchy `imagenet` "
                    "only has the ancestors of its classes. Pass WordNet's file with "
                    "`--hierarchy data.noun`, or use `--distance {}`",
                    spelled_distance(reading), spelled_distance(without_the_rest(reading))));
}

ClassDistances::ClassDistances(std::uint32_t classes) : classes_(classes) {
    if (classes > most_classes)
        refuse(fmt::format("{} classes; distances of at most {} are kept", classes, most_classes));
    units_.assign(std::size_t{classes} * classes, std::uint32_t{1} << 20);
    for (std::size_t c = 0; c < classes; ++c) units_[c * classes + c] = 0;
}

ClassDistances::ClassDistances(std::uint32_t classes, std::vector<std::uint32_t> units,
                               DistanceReading reading)
    : ClassDistances(classes) {
    if (units.size() != units_.size())
        refuse(fmt::format("{} distances for {} classes; expected {}", units.size(), classes,
                           units_.size()));
    units_ = std::move(units);
    reading_ = reading;
}

ClassDistances::ClassDistances(const Hierarchy& hierarchy, const ClassList& classes,
                               DistanceReading reading)
    : ClassDistances(
          static_cast<std::uint32_t>(std::min<std::size_t>(classes.size(), most_classes + 1))) {
    reading_ = reading;
    if (reading == DistanceReading::zero_one) return;
    if (reading == DistanceReading::matrix)
        throw Error(ErrorCode::usage,
                    "the distance matrix comes from a file: pass `--distance FILE.csv`");
    const std::vector<std::uint32_t> nodes = hierarchy.nodes_of(classes);
    refuse_deep(hierarchy, nodes, facts_of(reading).weighted);
    const auto graph = [&](EdgeWeight weight, bool most) {
        graph_distances(hierarchy, nodes, weight, most, units_);
    };
    const auto closure = [&](bool most) {
        const Hierarchy above = hierarchy.ancestors_of(nodes);
        graph_distances(above, above.nodes_of(classes), halving_weight, most, units_);
    };
    using enum DistanceReading;
    if (reading == tree_path) tree_path_distances(hierarchy, nodes, units_);
    if (reading == ancestor_min) {
        ancestor_distances(hierarchy, nodes, halving_weight, false, units_);
    }
    if (reading == ancestor_max) ancestor_distances(hierarchy, nodes, halving_weight, true, units_);
    if (reading == graph_closure_min) closure(false);
    if (reading == graph_closure_max) closure(true);
    if (reading == graph_full_min) graph(halving_weight, false);
    if (reading == graph_full_max) graph(halving_weight, true);
    if (reading == hop) ancestor_distances(hierarchy, nodes, equal_weight, false, units_);
    if (reading == hop_full) graph(equal_weight, false);
}

}  // namespace assay::mad
