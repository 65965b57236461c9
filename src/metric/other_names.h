// What other libraries call the metrics.
#pragma once

#include <string_view>

namespace assay {

/// Our name of a metric that scikit-learn, timm, Keras or torchmetrics call `name`, in any case and
/// with - for _: "top1" of "Accuracy", "nll" of "log_loss". Only of exactly the same quantity.
/// `name` itself where it is none of theirs.
std::string_view own_metric_name(std::string_view name);

/// What stands for a word that is near a metric, or is another thing here: "`nll` is the mean
/// cross-entropy" of "loss"; "" for other words.
std::string_view near_metric(std::string_view name);

}  // namespace assay
