// Measures how much the choice of the moments' exponents affects the estimates.
#pragma once

#include "assay/replication/adjust.h"
#include "replication/adjust_intervals.h"

namespace assay::replication {

/// Adds the estimates with the companion sets of exponents to the methods of `report`, their
/// spread, and warnings. The first method in `report` must be the moments, and it must be defined.
void add_sensitivity(const CountedStudy& counted, AdjustReport& report);

}  // namespace assay::replication
