// Intervals of values whose items come in clusters: several images of one patient or one scene.
//
// Whole clusters are dealt to the groups that every metric is resampled by, so its values without
// each group tell how it varies between clusters.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "assay/estimate.h"
#include "assay/metric/metric.h"

namespace assay::evaluate {

/// How alike the items that count may be: the sum of their clusters' squared sizes over their
/// number. It is the most that clusters can cost, and 1 if every cluster is one item.
class AlikeItems {
public:
    /// Class and cluster of an item; a class of its own for items without a single label.
    using Item = std::pair<std::uint32_t, std::uint32_t>;
    explicit AlikeItems(std::vector<Item> items);

    double all() const noexcept { return all_; }
    /// Of the items of one class.
    double of_class(std::size_t cls) const;

private:
    double all_ = 1;
    std::map<std::uint32_t, double> classes_;
};

/// The number of items for each independent one, at least 1. It is a weighted mean of two numbers.
/// The first, `found`, is what the variance between clusters says. The second, `alike`, is what it
/// would be if each cluster were all correct or all incorrect. It counts more if there are few
/// `errors` (incorrect items, or correct ones if these are fewer).
double mixed_effect(double found, double alike, double errors);

/// In place of an interval for independent items. It is never inside that of `value`, if there is
/// one: metrics with intervals by resampling have none yet. A proportion has Wilson's interval with
/// as many items as its standard error stands for. Before the effect of clusters, the number of
/// items is that of a Wilson interval as wide as that of `value`. The mean of a few classes has
/// fewer items than n. Other values are value +- t * standard error, cut to the metric's range.
/// Student's t has one degree fewer than groups. `alike`: sum of the clusters' squared sizes over
/// the items that count, the most that clusters can cost. It stands in where few items are
/// incorrect, or few correct. There is no interval for fewer than two groups, or if no group
/// changes a value that is no proportion. There is also none if `estimate` says that independent
/// items have none. The note says why.
void set_cluster_interval(Estimate& value, const ResampledEstimate& estimate,
                          const MetricFacts& facts, double alike, double level);

/// Of a proportion with so many items and hits in each group. `at_most`: as `alike`, of the
/// clusters of these items, which is less than that of groups of several clusters.
Interval cluster_proportion(std::span<const std::uint64_t> items,
                            std::span<const std::uint64_t> hits, double at_most, double level);

}  // namespace assay::evaluate
