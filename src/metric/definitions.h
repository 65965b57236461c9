#pragma once

#include <vector>

#include "assay/metric/metric.h"

namespace assay {

/// Returns true if it is shown by default when the data that it needs in addition to labels
/// (GivenTruth) is given.
bool shows_with_given(const MetricFacts& facts);

/// The names as people write them: "top1", "top5", "topk" for the metric with a number in its name.
std::vector<std::string> names_of(const MetricFacts& facts);

/// The combinations of a metric's named choices; numbers have their defaults and the values from
/// the variants that are shown.
std::vector<Parameters> choices_of(const MetricFacts& facts);

}  // namespace assay
