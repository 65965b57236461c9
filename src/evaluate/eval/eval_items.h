// Reads the scores of several models. Finds doubted labels and uncertain images, and counts how
// often all models agree.
#pragma once

#include <span>
#include <vector>

#include "assay/evaluate/eval.h"

namespace assay::evaluate {

struct ItemsOfScores {
    std::vector<DoubtedLabel> doubted;  ///< most doubted first, at most five
    std::vector<UnsureItem> unsure;     ///< images without a label, at most five
    std::vector<Estimate> confidence;   ///< by model
    Estimate agreement;                 ///< over the images that all models scored
};
/// The stores must be of one data set. A label is doubted if every model predicts a class outside
/// the image's labels. The doubt is the probability of the predicted class minus that of the label,
/// averaged over the models. It follows the self-confidence and margin of Northcutt, Jiang and
/// Chuang 2021, "Confident Learning". With several models, unsure images are those on which they
/// differ, most confident first; with one model, those with its lowest confidence. The result is
/// the same for any number of threads.
ItemsOfScores look_at_items(std::span<const PredictionStore* const> stores, int threads);

}  // namespace assay::evaluate
