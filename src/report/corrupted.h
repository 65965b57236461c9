// Measures accuracy under corruptions: finds corrupted versions of data sets.
#pragma once

#include <vector>

#include "assay/report/document.h"
#include "report/described_report.h"
#include "report/said.h"
#include "report/store_groups.h"

namespace assay {

/// Measures the corrupted versions of each clean data set that has some (only of `options.clean`,
/// if that is named). Removes them from `groups`, because a report only shows their accuracy.
/// Returns "assay.corrupted_accuracy/1" with its source, one per clean data set. If `options.clean`
/// is named, throws as measure_corrupted() does; otherwise, what cannot be measured stays in
/// `groups`, with a sentence.
std::vector<SourcedResult> corrupted_results(std::vector<StoreGroup>& groups,
                                             const ReportOptions& options, Said& said);

}  // namespace assay
