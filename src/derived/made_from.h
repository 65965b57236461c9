#pragma once

#include "assay/store/prediction_store.h"

namespace assay::derived {

/// Whether a store is the mean of others (`assay ensemble`), by its provenance.
bool is_ensemble(const PredictionStore& store);
/// Whether a store repeats the rows of another that a split of `assay calibrate` left to report.
bool is_held_out(const PredictionStore& store);

}  // namespace assay::derived
