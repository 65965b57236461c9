// Makes the parts of a report about a table of quality dimensions.
#pragma once

#include <vector>

#include "assay/report/document.h"
#include "report/described_report.h"
#include "report/report_paths.h"
#include "report/said.h"

namespace assay {

/// The table itself ("assay.quality/1"), its scores, correlations and choice, each with its source.
/// Parts that the table does not allow are skipped, with a sentence.
std::vector<SourcedResult> table_results(const SavedResult& saved, const ReportOptions& options,
                                         Said& said);

}  // namespace assay
