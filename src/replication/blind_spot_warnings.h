// Warnings of what the quoted estimate cannot see, classifier by classifier: opposite misses would
// cancel in their mean.
#pragma once

#include "assay/replication/adjust.h"

namespace assay::replication {

/// Where the quoted method is the penalised likelihood: how far the moments are from it, and
/// warnings that name the classifiers concerned.
void add_blind_spots(AdjustReport& report);

}  // namespace assay::replication
