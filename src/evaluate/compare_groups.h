// Computes differences of two models within groups of images.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/data/dataset.h"
#include "assay/evaluate/compare.h"
#include "assay/report.h"
#include "evaluate/score_set.h"

namespace assay::evaluate {

/// Clusters of the images of a group.
struct PairedClusters {
    std::uint64_t count = 0;
    /// Standard error of the difference, from how it varies between the clusters. At least that of
    /// one more cluster of the usual size for which only one model is correct. Of two or more.
    double error = 0;
};

/// Images of a group that count for both models.
struct PairedGroup {
    std::string name;
    std::uint64_t both = 0;                     ///< both models are correct
    std::uint64_t baseline = 0, candidate = 0;  ///< only this model is correct
    std::uint64_t images = 0;
    std::optional<PairedClusters> clusters = {};  ///< none: images are independent
};

/// The differences in these groups, and the lowest of them. The parts that counts do not tell stay
/// empty: the models' accuracies, `metric`, `worst.n`, p_holm and the verdicts.
///
/// The difference of a group has Newcombe's interval for paired proportions. Its level is
/// level^(1/groups), so that all intervals hold together (Sidak 1967). This also holds for groups
/// that overlap. The interval of the lowest true difference begins at the lowest of the groups'
/// lower ends at `level`. It ends at the lowest of their upper ends at 1 - (1 - level) / groups.
/// McNemar's exact test gives p. Groups with fewer than fewest_group_images have no interval and no
/// p. Cost: 1,000 draws of each group's error.
///
/// With clusters, each interval reaches t standard errors to both sides, where t is Student's with
/// one degree of freedom fewer than the group has clusters. It is never inside that of independent
/// images, and p is never below McNemar's. Groups with fewer than fewest_group_clusters have no
/// interval and no p. Either all groups have clusters or none.
ComparedByGroup compared_counts(const std::vector<PairedGroup>& groups, const Resampling& how);

/// Of each of top1 and real, compared_counts(). Both sets are of the same images, which are these
/// rows of `dataset`, and were scored with Keep::items and the same requests. Throws usage: as
/// accuracy_by_group().
std::vector<ComparedByGroup> compare_by_group(const ScoredSet& baseline, const ScoredSet& candidate,
                                              const Dataset& dataset,
                                              std::span<const std::uint64_t> rows,
                                              const ScoreOptions& options);

/// For people: a table of the groups for each metric. `models`: the pair, for the titles. `family`:
/// the candidates over whose groups p is adjusted; "": this one alone.
std::vector<Block> compared_group_blocks(const PairReport& report, std::string_view models,
                                         std::string_view family);

}  // namespace assay::evaluate
