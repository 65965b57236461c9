// Translates the names of metrics in other libraries.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// Returns Assay's name of a metric that scikit-learn, timm, Keras or torchmetrics call `name`.
/// Upper and lower case, and - and _, are the same: "top1" for "Accuracy", "nll" for "log_loss". It
/// covers only exactly the same quantity. Returns `name` itself if none of these libraries uses it.
std::string_view own_metric_name(std::string_view name);

/// All names for which own_metric_name() returns another one.
std::vector<std::string> other_metric_names();

/// Returns an explanation for a word that is close to a metric or has another meaning here: "`nll`
/// is the mean cross-entropy" for "loss". Returns "" for other words.
std::string_view near_metric(std::string_view name);

}  // namespace assay
