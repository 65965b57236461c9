// Tests whether the number of annotators of an image depended on their answers.
#pragma once

#include <optional>

#include "assay/replication/study.h"

namespace assay::replication {

/// If n is independent of the answers, two means are the same for every n. One is the mean of k/n.
/// The other is the mean disagreement of two annotators of an image, 2k(n - k)/(n(n - 1)).
struct AskingCheck {
    double few = 0, many = 0;  ///< disagreement on the half of the images with fewer annotators,
                               ///< and on the other half
    double largest_t = 0;      ///< for the slopes of both means on log n, with errors by class
    /// A t value this large occurs by chance with probability 1e-4.
    bool depends() const { return largest_t > 4; }
};
/// Returns nullopt if all images have the same number of annotators. Images with one annotator are
/// excluded.
std::optional<AskingCheck> check_asking(const StudySet& set);

}  // namespace assay::replication
