// Finds bootstrap intervals that are too wide to be informative.
#pragma once

#include "assay/replication/adjust.h"

namespace assay::replication {

/// Marks each adjusted accuracy whose bootstrap interval is useless compared with another of the
/// same run. Such an interval is more than twice as wide as pl's, or more than 1.5 times as wide as
/// the same method's by formula. These limits come from simulated studies. Adds a note to each such
/// Estimate, a note to the method, and their number.
void mark_wide_intervals(AdjustReport& report);

}  // namespace assay::replication
