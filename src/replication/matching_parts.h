// The parts of statistic matching: targets and checks, the bias, the verdict.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "assay/replication/matching.h"

namespace assay::replication::matching {

/// Throws usage for options that are wrong for any readings, or that have no effect.
void check(const MatchOptions& options);

/// One class: its reference images and candidates by frequency bucket, and the candidates'
/// frequency differences, held out minus in sample.
struct ClassTally {
    double weight = 0;  ///< number of images chosen from the class
    std::array<double, match_buckets> reference{}, candidates{}, sum{}, squares{};
};

/// Sum over buckets b of P(b) D(b). P is the proportion of the reference's images in b, and D is
/// the mean difference of the candidates in b. Both weight classes by `weight`. Both sets'
/// frequencies have the same number of annotators. If the candidates have the reference's rates, P
/// is also their own proportion, so the sum is their mean difference, which is 0. Standard error
/// from the influence of each class on P and D (of each image, where there is one class), with
/// Student's t. O(classes).
Estimate selection_bias(const std::vector<ClassTally>& classes);

/// Adds warnings for people: what was excluded, filled from other buckets or cannot be determined.
void add_warnings(const MatchOptions& options, MatchResult& result);

}  // namespace assay::replication::matching
