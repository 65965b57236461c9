// Finds rates about which the readings give little information.
#pragma once

#include <vector>

#include "assay/replication/adjust.h"
#include "assay/replication/penalised_likelihood.h"

namespace assay::replication::penalised {

BlindSpots blind_spots(const PenalisedLikelihood& model,
                       const std::vector<PenalisedLikelihood::Fit>& fits);

}  // namespace assay::replication::penalised
