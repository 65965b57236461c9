// Finds annotators who answer together: copies of one another, or one person under several names.
#pragma once

#include <cstdint>
#include <vector>

#include "annotation/class_patterns.h"

namespace assay {

struct TogetherGroups {
    struct Group {
        std::vector<std::uint32_t> annotators;  ///< ascending
        std::uint64_t shared = 0, equal = 0;    ///< counts over pairs of annotators and images
        double expected = 0;                    ///< sum over the same pairs of answers
    };
    /// number of the group; usually each annotator is alone in one
    std::vector<std::uint32_t> of_annotator;
    std::vector<Group> groups;  ///< groups of at least two annotators
    /// false if there are too few annotators, or too many pairs
    bool looked_at = false;
};

/// If people err independently, each pair's agreement beyond chance (Cohen's kappa) is the product
/// of one number per person. The numbers are fitted robustly to all pairs that share at least 20
/// images. A pair answers together if its kappa exceeds the product by more than .2, and by more
/// than five standard errors. So do all annotators whom such pairs connect. Requires four
/// annotators. Cost: the pairs of answers to one image; above 2 * 10^8 nothing is tested.
TogetherGroups answers_together(const ClassPatterns& patterns);

}  // namespace assay
