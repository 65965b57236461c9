// The score of the positive class of two, and a threshold of it that is chosen on one part of the
// images and tested on the other. A threshold that is chosen and tested on the same images looks
// better than it is.
//
// An image is called positive if its score is at least the threshold. The score is the log-odds of
// the positive class: its logit minus that of the other class. Log-odds distinguish images whose
// probabilities round to 1. In a store of probabilities, the score is the probability.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "assay/estimate.h"
#include "assay/store/prediction_store.h"

namespace assay::evaluate {

struct ScoredImage {
    double score = 0;
    bool positive = false;
    double probability = 0;  ///< of the positive class; ascends with the score
};

/// Counts at a threshold.
struct Outcomes {
    std::uint64_t true_positives = 0, positives = 0, true_negatives = 0, negatives = 0;
};
Outcomes outcomes_at(const std::vector<ScoredImage>& images, double threshold,
                     double ScoredImage::*number = &ScoredImage::score);
/// With Wilson's intervals.
Estimate sensitivity_of(const Outcomes& outcomes, double level);
Estimate specificity_of(const Outcomes& outcomes, double level);

/// The lowest threshold at which at least this proportion of the negatives is below it: it has the
/// highest sensitivity. At least one negative.
double threshold_for_specificity(const std::vector<ScoredImage>& images, double specificity);
/// The highest threshold that at least this proportion of the positives reaches. At least one.
double threshold_for_sensitivity(const std::vector<ScoredImage>& images, double sensitivity);

/// The end of a message: a command that names this class as the positive one.
using PositiveHint = std::function<std::string(const std::string& cls)>;

/// Of two classes: the number of the positive one, which `named` is an id or a name of; "": class
/// 1. Throws bad_input for another number of classes, and for a name that is no class.
std::int32_t positive_class(const PredictionStore& store, const std::string& named,
                            const PositiveHint& hint);
/// Its id, or its number if the classes have no names.
std::string positive_class_id(const PredictionStore& store, std::int32_t cls);

struct ThresholdHalves {
    std::vector<ScoredImage> chosen, tested, all;
    bool are_log_odds = false;     ///< the scores
    std::uint64_t skipped = 0;     ///< images without scores or a single label
    std::uint64_t not_scored = 0;  ///< those of them without scores
};
/// `split`: the proportion of the images to choose on, by a hash of the ids and the seed; 0 tests
/// on all. `hint` ends the message about too few images. Throws bad_input for stores without the
/// scores of both classes or not complete, and for a part without a positive or a negative image.
/// Cost: a pass over the rows. The same bits for any number of threads.
ThresholdHalves read_halves(const PredictionStore& store, std::int32_t positive, double split,
                            std::uint64_t seed, int threads, const std::string& hint);

}  // namespace assay::evaluate
