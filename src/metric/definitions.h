#pragma once

#include <vector>

#include "assay/metric/metric.h"

namespace assay {

/// The combinations of a metric's named choices; parameters that are numbers have their defaults
/// (and k 1 and 5).
std::vector<Parameters> choices_of(const MetricFacts& facts);

}  // namespace assay
