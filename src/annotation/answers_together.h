// Annotators who answer together: copies of one another, or one person under several names.
#pragma once

#include <cstdint>
#include <vector>

#include "annotation/class_patterns.h"

namespace assay {

struct TogetherGroups {
    struct Group {
        std::vector<std::uint32_t> annotators;  ///< ascending
        std::uint64_t shared = 0, equal = 0;    ///< of its pairs of annotators, over images
        double expected = 0;                    ///< sum over the same pairs of answers
    };
    std::vector<std::uint32_t> of_annotator;  ///< number of the group; each alone in one, as a rule
    std::vector<Group> groups;                ///< those of two annotators or more
    bool looked_at = false;                   ///< false: too few annotators, or too many pairs
};

/// If people err on their own, the agreement of two beyond chance (Cohen's kappa) is the product of
/// one number each. These are fitted robustly to all pairs who share 20 images or more. A pair
/// whose kappa is larger than the product by more than .2, and by more than five standard errors,
/// answers together, and so do all whom such pairs connect. Needs four annotators. Cost: by pairs
/// of answers to one image; above 2 * 10^8 nothing is looked at.
TogetherGroups answers_together(const ClassPatterns& patterns);

}  // namespace assay
