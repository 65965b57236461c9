// The passes of classifiers with a sigmoid for each class (multilabel_sums.h). Each threshold, and
// the order of the scores, reads the rows once more.
#pragma once

#include <memory>
#include <string_view>

#include "assay/metric/metric.h"
#include "metric/multilabel_sums.h"

namespace assay {

/// Of the parameter `ranked_by`.
inline constexpr std::string_view by_sigmoid = "sigmoid";
/// The parameter `threshold` by default, in percent.
inline constexpr std::string_view usual_threshold = "50";
/// The parameter `threshold`: each class has its own, of GivenTruth.
inline constexpr std::string_view threshold_per_class = "0";
/// Parameter of items without a label.
inline constexpr std::string_view empty_items = "empty", counted_too = "counted";

/// Of classes that reach a threshold: `of_items` is the mean over the items.
std::shared_ptr<const MetricPass> set_score_pass(SetScore score, ItemMean of_items);
std::shared_ptr<const MetricPass> item_mean_pass(ItemMean which);
/// Of the order of the scores.
std::shared_ptr<const MetricPass> ranking_pass(ItemMean which);

}  // namespace assay
