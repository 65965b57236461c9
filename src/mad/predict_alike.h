// Finds classifiers of a competition that no image distinguishes.
#pragma once

#include "assay/mad/competition.h"

namespace assay::mad {

/// True if both predict the same label for every image.
inline bool predict_alike(const CompetitionClassifier& one, const CompetitionClassifier& two) {
    return one.labels_hash == two.labels_hash;
}

}  // namespace assay::mad
