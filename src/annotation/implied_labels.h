// Labels that follow from others: of a husky that it is a dog, where both are classes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/annotation/aggregate.h"
#include "assay/data/class_list.h"

namespace assay {

/// Class -> the other classes that are valid wherever it is, ascending: those above it in the
/// hierarchy, and ImageNet's two pairs of synonyms (the two maillots; missile and projectile) each
/// for the other. `hierarchy`: what hierarchy_named takes. Throws bad_input: classes that are no
/// nodes, a cycle; usage: nothing follows from any class.
std::vector<std::vector<std::int32_t>> implied_classes(const std::string& hierarchy,
                                                       const ClassList& classes);
/// Synonyms have the number of the first of them in `numbers` (of classes, -1: none).
void merge_synonyms(const ClassList& classes, std::vector<std::int64_t>& numbers);

struct ImpliedLabels {
    std::uint64_t labels = 0;  ///< that were added
    /// Of them, those that annotators were asked about and rejected.
    std::uint64_t contradictions = 0;
    std::vector<std::string> examples;  ///< up to three images with a contradiction
};
/// Adds to the sets of annotated images what follows from their labels.
ImpliedLabels add_implied_labels(const std::vector<std::vector<std::int32_t>>& implied,
                                 const Votes& votes, const Dataset& dataset,
                                 const ClassList& classes, BuiltLabelSets& built);

}  // namespace assay
