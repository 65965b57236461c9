// Intervals of values whose items come in clusters: several images of one patient or one scene.
//
// Every metric is resampled by groups, which consist of whole clusters. So the values without each
// group show the variation between clusters.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "assay/estimate.h"
#include "assay/metric/metric.h"

namespace assay::evaluate {

/// The largest possible effect of clusters on a variance: the sum of squared cluster sizes over the
/// number of items. It is 1 if every cluster has one item.
class AlikeItems {
public:
    /// Class and cluster of an item. Items without a single label have a separate class.
    using Item = std::pair<std::uint32_t, std::uint32_t>;
    explicit AlikeItems(std::vector<Item> items);

    double all() const noexcept { return all_; }
    /// The same for the items of one class.
    double of_class(std::size_t cls) const;

private:
    double all_ = 1;
    std::map<std::uint32_t, double> classes_;
};

/// The number of items per independent item, at least 1. It is a weighted mean of two numbers.
/// `found` is estimated from the variance between clusters. `alike` assumes that clusters are all
/// correct or all incorrect. `alike` has more weight if there are few `errors` (incorrect items, or
/// correct items if these are fewer).
double mixed_effect(double found, double alike, double errors);

/// Replaces an interval for independent items. The new interval contains the one of `value`,
/// if there is one (metrics with intervals by resampling have none yet). A proportion gets
/// Wilson's interval for the number of items that its standard error implies. Before the
/// effect of clusters, this is the number with which Wilson's interval is as wide as that of
/// `value`. The mean of a few classes has fewer items than n. Other values get value +- t *
/// standard error, within the metric's range. Student's t has one degree fewer than groups.
/// `alike` is the largest possible effect of clusters. It is used if few items are
/// incorrect, or few correct. There is no interval with fewer than two groups, if no group
/// changes a value that is no proportion, or if independent items have none either. The note
/// says why.
void set_cluster_interval(Estimate& value, const ResampledEstimate& estimate,
                          const MetricFacts& facts, double alike, double level);

/// The same for a proportion with these numbers of items and hits per group. `at_most` is `alike`
/// for the clusters of these items, which is below that for groups of several clusters.
Interval cluster_proportion(std::span<const std::uint64_t> items,
                            std::span<const std::uint64_t> hits, double at_most, double level);

}  // namespace assay::evaluate
