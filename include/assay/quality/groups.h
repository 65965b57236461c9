// Do two groups of classifiers differ? Adversarially trained ones against ordinary ones, large
// pretraining sets against small ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/estimate.h"
#include "assay/quality/table.h"
#include "assay/report.h"

namespace assay::quality {

struct GroupOptions {
    std::vector<std::string> first, second;  ///< selectors of each group
    /// The i-th of the first group with the i-th of the second: the same architecture trained in
    /// two ways. Groups of different sizes are refused.
    bool paired = false;
    /// A tag whose equal values are one family; pairs of one family, and pairs that share a model,
    /// flip their signs together and enter the standard error as one. Wants `paired`.
    std::string family;
    /// Also the test of the paper's table 2: Student's with a pooled variance over the distinct
    /// models, one star below .2, two below .1, three below .05.
    bool published_test = false;
    double level = 0.95;
    std::uint32_t permutations = 10'000;
    std::uint64_t seed = 0;
};

/// The test of the paper's table 2.
struct PublishedTest {
    double p = 1;
    int stars = 0;
};

struct GroupDifference {
    Dimension dimension = Dimension::accuracy;
    Estimate first, second;  ///< means, a model that stands in a group twice counting twice
    Estimate difference;     ///< second - first, over distinct models, or over pairs
    /// In standard deviations (Hedges' g; of pairs: of their differences), corrected for small
    /// groups.
    Estimate effect;
    double p = 1;         ///< permutation test, two-sided
    double adjusted = 1;  ///< Holm, over the dimensions
    std::optional<PublishedTest> published;
};

struct GroupResult {
    GroupOptions options;
    std::size_t first_models = 0, second_models = 0;  ///< distinct ones
    std::size_t clusters = 0;                         ///< of pairs
    bool exact = false;                               ///< all exchanges were counted, not drawn
    std::vector<GroupDifference> dimensions;
    std::vector<std::string> notes, warnings;
};

/// Groups are compared in every dimension that all of their models have. Intervals: Student's t,
/// Welch's for two groups; over clusters for pairs. Tests: signs of the clusters' sums flipped, or
/// models exchanged between the groups, all ways where there are at most 2^16, else `permutations`
/// random ones with one added to both counts. Throws usage: selectors, groups of other sizes with
/// `paired`, `family` without it, a model in both groups, a group with fewer than two distinct
/// models.
GroupResult compare_groups(const QualityTable& table, const GroupOptions& options);
/// "assay.quality_groups/1".
Report report_of(const GroupResult& result);

}  // namespace assay::quality
