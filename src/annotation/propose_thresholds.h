// Which models propose, and from which score on: chosen on images with known labels, so that the
// proposals find the recall that was asked for with the fewest questions.
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
    std::vector<float> scores;  ///< by model: the lowest score_of() proposed; -inf: all that were
                                ///< looked at, inf: the predicted class alone
    std::uint64_t sampled = 0;  ///< images that they were chosen on
    bool reached = true;        ///< the recall
    std::string note;           ///< why not
};
/// Every rank reads its part of the sample and returns the same. Throws usage: no known labels.
Thresholds find_thresholds(const Inputs& inputs, Comm& comm, const ProgressCallback& progress);

/// The chosen models that propose class `c`: bit m for model m.
std::uint64_t proposers(const Inputs& inputs, const Thresholds& thresholds, const TopClasses& top,
                        std::int32_t c);
/// A threshold as people read it: a probability, or the largest rank from 1.
double threshold_shown(float score, const ProposeOptions& options);

}  // namespace assay::propose
