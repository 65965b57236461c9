// A walk over the items of several models' scores: which labels are doubted, which images are
// unsure, and how often all models agree.
#pragma once

#include <span>
#include <vector>

#include "assay/evaluate/eval.h"

namespace assay::evaluate {

struct ItemsOfScores {
    std::vector<DoubtedLabel> doubted;  ///< the most doubted first, five at most
    std::vector<UnsureItem> unsure;     ///< of images without a label, five at most
    std::vector<Estimate> confidence;   ///< by model
    Estimate agreement;                 ///< of the images that all models scored
};
/// Stores of one data set. A label is doubted where every model predicts a class outside the
/// image's labels: by how much the probability of the predicted class is above that of the label,
/// averaged over the models (self-confidence and margin of Northcutt, Jiang and Chuang 2021,
/// "Confident Learning"). Several models are unsure where they differ, the most confident first;
/// one model where its confidence is lowest. The same for any number of threads.
ItemsOfScores look_at_items(std::span<const PredictionStore* const> stores, int threads);

}  // namespace assay::evaluate
