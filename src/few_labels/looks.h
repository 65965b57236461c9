// Counts how often the results of a study were seen.
#pragma once

#include <filesystem>

#include "assay/few_labels/estimate.h"
#include "few_labels/design.h"

namespace assay::few_labels {

/// Records a look in the study and warns if there were more than two without --peek or --stop-at:
/// who stops as soon as an interval excludes 0 has looked many times. Looks at the same number of
/// labels are one. Also warns if --peek differs from the first one. A study that cannot be written
/// gets a note.
void note_look(const std::filesystem::path& study, Design& design, const EstimateOptions& options,
               PoolEstimate& result);

}  // namespace assay::few_labels
