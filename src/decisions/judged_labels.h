// Checks labels before their scores are read.
#pragma once

#include <filesystem>

#include "assay/data/label_sets.h"
#include "assay/store/prediction_store.h"

namespace assay::decisions {

/// Throws bad_input with the first image whose label is beyond the classes with scores. `file`: the
/// file of the labels; "": the data set's own. Cost: a pass over the labels.
void require_known_labels(const PredictionStore& store, const LabelSets& labels,
                          const std::filesystem::path& file);

}  // namespace assay::decisions
