// Finds labels that other labels imply: a husky is also a dog, if both are classes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/annotation/aggregate.h"
#include "assay/data/class_list.h"

namespace assay {

/// Maps each class to the other classes that are then valid, too, ascending. These are the classes
/// above it in the hierarchy, and ImageNet's two pairs of synonyms (the two maillots; missile and
/// projectile). `hierarchy` is as for hierarchy_named. Throws bad_input for classes that are no
/// nodes, a cycle; usage if no class implies another.
std::vector<std::vector<std::int32_t>> implied_classes(const std::string& hierarchy,
                                                       const ClassList& classes);
/// Gives synonyms in `numbers` the number of the first of them (-1 means no class).
void merge_synonyms(const ClassList& classes, std::vector<std::int64_t>& numbers);

struct ImpliedLabels {
    std::uint64_t labels = 0;  ///< number of added labels
    /// Added labels that annotators were asked about and rejected.
    std::uint64_t contradictions = 0;
    std::vector<std::string> examples;  ///< up to three images with a contradiction
};
/// Adds to the sets of annotated images the labels that their labels imply.
ImpliedLabels add_implied_labels(const std::vector<std::vector<std::int32_t>>& implied,
                                 const Votes& votes, const Dataset& dataset,
                                 const ClassList& classes, BuiltLabelSets& built);

}  // namespace assay
