// Statistic matching in parts: targets and checks, the bias, what is said of it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "assay/replication/matching.h"

namespace assay::replication::matching {

/// Throws usage for what is wrong whatever the readings, and for options that cannot act.
void check(const MatchOptions& options);

/// One class: its reference images and candidates by bucket of their frequency, and the candidates'
/// differences of frequency, held out minus in sample.
struct ClassTally {
    double weight = 0;  ///< of the class: images chosen of it
    std::array<double, match_buckets> reference{}, candidates{}, sum{}, squares{};
};

/// Sum over buckets b of P(b) D(b): P is the proportion of the reference's images in b, D the mean
/// difference of the candidates in b; both weigh classes as `weight`. Both sets' frequencies are of
/// the same number of annotators. Where the candidates have the reference's rates, P is also their
/// own proportion, the sum is their mean difference, and that is 0. Standard error from the
/// influence of each class on P and D (of each image, where there is one class), with Student's t.
/// O(classes).
Estimate selection_bias(const std::vector<ClassTally>& classes);

/// For people: what was left out, filled from elsewhere or cannot be told.
void add_warnings(const MatchOptions& options, MatchResult& result);

}  // namespace assay::replication::matching
