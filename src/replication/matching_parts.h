// The parts of statistic matching: targets and checks, the bias, the verdict.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "assay/replication/matching.h"

namespace assay::replication::matching {

/// Throws usage for options that are invalid for all readings, or that have no effect.
void check(const MatchOptions& options);

/// One class: its reference images and candidates by frequency bucket, and the candidates'
/// frequency differences, held out minus in sample.
struct ClassTally {
    double weight = 0;  ///< number of images chosen from the class
    std::array<double, match_buckets> reference{}, candidates{}, sum{}, squares{};
};

/// Sum over buckets b of P(b) D(b). P is the proportion of the reference's images in b, and D is
/// the mean difference of the candidates in b. P and D weight classes by `weight`. Both sets'
/// frequencies have the same number of annotators. If the candidates have the reference's rates, P
/// is also their own proportion, so the sum is their mean difference, which is 0. The standard
/// error is from the influence of each class on P and D (of each image if there is one class), with
/// Student's t. Cost: O(classes).
Estimate selection_bias(const std::vector<ClassTally>& classes);

/// Adds warnings for people: images excluded or taken from other buckets, unknown values.
void add_warnings(const MatchOptions& options, MatchResult& result);

}  // namespace assay::replication::matching
