#pragma once

#include <vector>

#include "assay/metric/metric.h"

namespace assay {

/// Whether it is shown by default where what it needs beside labels (GivenTruth) is given.
bool shows_with_given(const MetricFacts& facts);

/// As people write it: "top1", "top5", "topk" for the metric that has its number in its name.
std::vector<std::string> names_of(const MetricFacts& facts);

/// The combinations of a metric's named choices; numbers have their defaults, and
/// what the variants that are shown give them.
std::vector<Parameters> choices_of(const MetricFacts& facts);

}  // namespace assay
