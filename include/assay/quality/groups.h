// Tests whether two groups of classifiers differ: adversarially trained ones and ordinary ones, or
// large pretraining sets and small ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/estimate.h"
#include "assay/quality/columns.h"
#include "assay/report.h"

namespace assay::quality {

struct GroupOptions {
    std::vector<std::string> first, second;  ///< selectors of each group
    std::vector<std::string> columns;        ///< further columns, as quality_columns() takes them
    /// Compares the i-th model of the first group with the i-th of the second: the same
    /// architecture trained in two ways. Groups of different sizes are refused.
    bool paired = false;
    /// A tag whose equal values define families. Pairs of one family, and pairs that share a model,
    /// flip their signs together and count once in the standard error. It needs `paired`.
    std::string family;
    /// Also runs the test of the paper's table 2: Student's with a pooled variance over the
    /// distinct models. It gives one star below .2, two below .1, three below .05.
    bool published_test = false;
    double level = 0.95;
    std::uint32_t permutations = 10'000;
    std::uint64_t seed = 0;
};

/// The result of the test of the paper's table 2.
struct PublishedTest {
    double p = 1;
    int stars = 0;
};

struct GroupDifference {
    ColumnName dimension;
    Estimate first, second;  ///< means; a model that appears twice in a group counts twice
    Estimate difference;     ///< second - first, over distinct models, or over pairs
    /// The difference in standard deviations, corrected for small groups: Hedges' g, or for pairs
    /// the standard deviation of their differences.
    Estimate effect;
    double p = 1;         ///< permutation test, two-sided
    double adjusted = 1;  ///< Holm-adjusted over the dimensions
    std::optional<PublishedTest> published;
};

struct GroupResult {
    GroupOptions options;
    std::size_t first_models = 0, second_models = 0;  ///< distinct ones
    std::size_t clusters = 0;                         ///< number of clusters of pairs
    /// whether all exchanges were counted instead of drawn
    bool exact = false;
    std::vector<GroupDifference> dimensions;
    std::vector<std::string> notes, warnings;
};

/// Groups are compared in each of quality_columns() that all of their models have. Intervals use
/// Student's t, in Welch's form for two groups, and over clusters for pairs. Tests flip the signs
/// of the clusters' sums, or exchange models between the groups. They try all ways if there are at
/// most 2^16. Otherwise they try `permutations` random ways, with one added to both counts. Throws
/// usage: selectors, groups of different sizes with `paired`, `family` without it, a model in both
/// groups, a group with fewer than two distinct models.
GroupResult compare_groups(const QualityTable& table, const GroupOptions& options);
/// Schema "assay.quality_groups/1".
Report report_of(const GroupResult& result);

}  // namespace assay::quality
