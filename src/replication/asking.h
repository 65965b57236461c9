// Whether the number of annotators that an image got depends on their answers.
#pragma once

#include <optional>

#include "assay/replication/study.h"

namespace assay::replication {

/// Disagreement of two annotators of an image, 2k(n - k)/(n(n - 1)), and k/n have the same mean
/// whatever n, where n has nothing to do with the answers.
struct AskingCheck {
    double few = 0, many = 0;  ///< disagreement on the half of the images with fewer annotators,
                               ///< on the others
    double largest_t = 0;      ///< of the slopes of both on log n, errors by class
    /// So large a t value has a probability of 1e-4 by chance.
    bool depends() const { return largest_t > 4; }
};
/// nullopt where all images have as many annotators. Images with one annotator are left out.
std::optional<AskingCheck> check_asking(const StudySet& set);

}  // namespace assay::replication
