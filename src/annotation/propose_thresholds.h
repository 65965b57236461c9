// Chooses the models and their lowest scores for proposals, on images with known labels, so that
// the requested recall is found with the fewest questions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "annotation/propose_inputs.h"
#include "assay/annotation/propose.h"
#include "assay/collective/comm.h"

namespace assay::propose {

struct Thresholds {
    std::vector<char> chosen;   ///< by model
    std::vector<float> scores;  ///< one per model: the lowest score_of() proposed; -inf proposes
                                ///< everything in the depth, inf only the predicted class
    std::uint64_t sampled = 0;  ///< number of images used for the choice
    bool reached = true;        ///< the recall
    std::string note;           ///< reason if there are none
};
/// Every rank reads its part of the sample and returns the same result. Throws usage if there are
/// no known labels.
Thresholds find_thresholds(const Inputs& inputs, Comm& comm, const ProgressCallback& progress);

/// The chosen models that propose class `c`, with bit m for model m.
std::uint64_t proposers(const Inputs& inputs, const Thresholds& thresholds, const TopClasses& top,
                        std::int32_t c);
/// A threshold for display: a probability, or the largest rank from 1.
double threshold_shown(float score, const ProposeOptions& options);

}  // namespace assay::propose
