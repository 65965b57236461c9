// The tables of the papers that `assay paper` writes, from results of other commands.
#pragma once

#include "assay/report.h"
#include "cli/paper_study.h"

namespace assay::cli::paper_tables {

/// Images of both data sets by their number of valid labels.
Table labels_per_image(PaperStudy& study);
/// Composites by their number of objects, a row for each data set.
Table composites(PaperStudy& study);
/// The best models by ASMA on the composites, with their ranks.
Table best(PaperStudy& study);
/// Every model on all data sets.
Table models(PaperStudy& study);
/// The range of the gaps by each metric, and how many models are within a point.
Table ranges(PaperStudy& study);
/// The models whose gap is within a point by at least one metric.
Table within(PaperStudy& study);
/// Accuracies on both data sets, as measured and adjusted.
Table adjusted(PaperStudy& study);

}  // namespace assay::cli::paper_tables
