// Accuracy under corruptions: which data sets are corrupted versions of which.
#pragma once

#include <vector>

#include "assay/report/document.h"
#include "report/described_report.h"
#include "report/said.h"
#include "report/store_groups.h"

namespace assay {

/// Measures the corrupted versions of each clean data set that has some (of `options.clean`, where
/// that is named), and takes them out of `groups`: their accuracy is all that a report shows of
/// them. "assay.corrupted_accuracy/1" with its source, one for each clean data set. Throws, where
/// `options.clean` is named, as measure_corrupted(); else what cannot be measured stays in
/// `groups`, with a sentence.
std::vector<SourcedResult> corrupted_results(std::vector<StoreGroup>& groups,
                                             const ReportOptions& options, Said& said);

}  // namespace assay
