// Bootstrap intervals so wide that they say nothing, found and named.
#pragma once

#include "assay/replication/adjust.h"

namespace assay::replication {

/// Marks each adjusted accuracy whose bootstrap interval is useless beside another of the same run:
/// more than twice as wide as pl's, or more than 1.5 times as wide as the interval that the same
/// method has by formula, which simulated studies bear out. A note for each in the Estimate, one
/// for the method, and their number.
void mark_wide_intervals(AdjustReport& report);

}  // namespace assay::replication
