// What the metrics of a report mean.
#pragma once

#include <vector>

#include "report/described_report.h"

namespace assay {

/// Of each metric whose `definition` stands anywhere in the results, by its id. The results may be
/// of any types.
std::vector<MetricDefinition> definitions_in(const std::vector<SourcedResult>& results);

}  // namespace assay
