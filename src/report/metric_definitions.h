// Collects explanations of the metrics in a report.
#pragma once

#include <vector>

#include "report/described_report.h"

namespace assay {

/// Returns each metric whose `definition` occurs anywhere in the results, by its id. The results
/// may have any types.
std::vector<MetricDefinition> definitions_in(const std::vector<SourcedResult>& results);

}  // namespace assay
