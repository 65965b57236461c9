// Warnings about effects that the quoted estimate cannot see. They are for each classifier, because
// opposite errors would cancel in the mean.
#pragma once

#include "assay/replication/adjust.h"

namespace assay::replication {

/// If the quoted method is the penalised likelihood, adds its difference from the moments, and
/// warnings that name the affected classifiers.
void add_blind_spots(AdjustReport& report);

}  // namespace assay::replication
