// The passes of classifiers with a sigmoid for each class (multilabel_sums.h). Each threshold reads
// the rows once more, and so does the order of the scores.
#pragma once

#include <memory>
#include <string_view>

#include "assay/metric/metric.h"
#include "metric/multilabel_sums.h"

namespace assay {

/// The values of the parameter `ranked_by`.
inline constexpr std::string_view by_sigmoid = "sigmoid";
/// The default of the parameter `threshold`, in percent.
inline constexpr std::string_view usual_threshold = "50";
/// This value of the parameter `threshold` means that each class has its own, from GivenTruth.
inline constexpr std::string_view threshold_per_class = "0";
/// The parameter for items without a label.
inline constexpr std::string_view empty_items = "empty", counted_too = "counted";

/// The pass for classes that reach a threshold: `of_items` is the mean over the items.
std::shared_ptr<const MetricPass> set_score_pass(SetScore score, ItemMean of_items);
std::shared_ptr<const MetricPass> item_mean_pass(ItemMean which);
/// The pass for the order of the scores.
std::shared_ptr<const MetricPass> ranking_pass(ItemMean which);

}  // namespace assay
