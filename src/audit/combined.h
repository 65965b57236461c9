// Combines the evidence of several classifiers about the labels of images.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "assay/audit/audit.h"
#include "assay/progress.h"
#include "assay/store/prediction_store.h"
#include "assay/store/row_reader.h"

namespace assay::audit {

/// The audited images with their labels.
struct LabelledRows {
    std::vector<std::uint64_t> rows;
    std::vector<std::int32_t> given;
};

/// The result of all voting classifiers for one image.
struct CombinedImage {
    std::int32_t first = -1, second = -1;  ///< likeliest classes
    std::int32_t suggested = -1;           ///< likeliest class except the given class
    double first_probability = 0, second_probability = 0;
    double given_probability = 0, suggested_probability = 0;
    /// Mean over the classifiers of ln((p + own) / (q + other)), with the floors of the score. Here
    /// p is 98 % of the probability of the given class, and q is 98 % of that of the suggested
    /// class.
    double score = 0;
    std::uint32_t predict_suggested = 0;
};

/// What the score adds to the probabilities of the given class and of the suggested class.
struct ScoreFloors {
    double own = 0, other = 0;
};

struct WeighedModels {
    std::vector<AuditedModel> models;
    std::vector<double> missed;  ///< by classifier: proportion of labels not predicted
    ScoreFloors floors;          ///< of CombinedImage::score
};
/// Fits each classifier's temperature, finds those that repeat the labels, and sets the weights.
/// `predicted`: classes by classifier and image of `labelled`. `warnings` gets what the fits found.
WeighedModels weigh_models(std::span<const RowReader> readers, const LabelledRows& labelled,
                           const std::vector<std::vector<std::int32_t>>& predicted, int threads,
                           std::vector<std::string>& warnings, const ProgressCallback& progress);
std::vector<CombinedImage> combine(std::span<const RowReader> readers, const WeighedModels& weighed,
                                   const LabelledRows& labelled,
                                   const std::vector<std::vector<std::int32_t>>& predicted,
                                   int threads, const ProgressCallback& progress);

}  // namespace assay::audit
