// A model with one score per image is a classifier of two classes, by the sigmoid.
#pragma once

#include <cstdint>
#include <memory>

#include "assay/model/classifier.h"

namespace assay {

/// Whether a model that returns `scores` numbers per image can be one of `classes` classes: as
/// many, or one number for two classes.
inline bool fits_classes(std::uint64_t scores, std::uint64_t classes) {
    return scores == classes || (scores == 1 && classes == 2);
}

/// Two scores per image in the place of the one that `model` gives, which belongs to class 1, the
/// positive class. They are of the kind `outputs`, with the same probability of class 1:
///
///     logits             (0, z)               softmax(0, z)_1 = 1 / (1 + e^-z), without a rounding
///                                             between the model's score and the stored one
///     probabilities      (1 - p, p)
///     log_probabilities  (log(1 - e^l), l)
///
/// A gradient is the model's, of its score, times the derivative of the loss by that score: a
/// classifier with one class returns the score itself for any loss (loss_of()).
/// Scores throw bad_input where one is no probability, or no logarithm of one, as `outputs` says.
/// Supervised where `model` is.
std::unique_ptr<Classifier> two_classes_of(std::unique_ptr<Classifier> model, ScoreKind outputs);

}  // namespace assay
