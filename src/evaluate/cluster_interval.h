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

/// Items for each independent one, at least 1. `found`: as the variance between clusters says;
/// `alike`: if each cluster were all correct or all incorrect, which is assumed where there are few
/// `errors` (incorrect items, or correct ones if these are fewer).
double mixed_effect(double found, double alike, double errors);

/// In place of an interval for independent items. It is never inside that of `value`, if there is
/// one: metrics with intervals by resampling have none yet. A proportion has Wilson's interval with
/// as many items as its standard error stands for (without clusters it has as many as an interval
/// of the same width, because the mean of a few classes has fewer items than n). Other values are
/// value +- t * standard error, cut to the metric's range. Student's t has one degree fewer than
/// groups. `alike`: sum of the clusters' squared sizes over the items that count, the most that
/// clusters can cost. It stands in where few items are incorrect, or few correct. Nothing, with the
/// reason in the note, for fewer than two groups, where no group changes a value that is no
/// proportion, or where `estimate` says that independent items have none.
void set_cluster_interval(Estimate& value, const ResampledEstimate& estimate,
                          const MetricFacts& facts, double alike, double level);

/// Of a proportion with so many items and hits in each group. `at_most`: as `alike`, of the
/// clusters of these items, which is less than that of groups of several clusters.
Interval cluster_proportion(std::span<const std::uint64_t> items,
                            std::span<const std::uint64_t> hits, double at_most, double level);

}  // namespace assay::evaluate
