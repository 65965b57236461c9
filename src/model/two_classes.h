// Makes a model with one score per image a classifier of two classes, by the sigmoid.
#pragma once

#include <cstdint>
#include <memory>

#include "assay/model/classifier.h"

namespace assay {

/// True if a model that returns `scores` numbers per image can be a classifier of `classes`
/// classes: the same number, or one number for two classes.
inline bool fits_classes(std::uint64_t scores, std::uint64_t classes) {
    return scores == classes || (scores == 1 && classes == 2);
}

/// Returns two scores per image instead of the single one of `model`, which belongs to class 1, the
/// positive class. They are of the kind `outputs`, with the same probability of class 1:
///
///     logits             (0, z)               softmax(0, z)_1 = 1 / (1 + e^-z)
///     probabilities      (1 - p, p)
///     log_probabilities  (log(1 - e^l), l)
///
/// For logits, nothing is rounded between the model's score and the stored one. The gradient is
/// that of the model's score times the derivative of the loss by that score. This is correct
/// because a classifier with one class returns the score itself for any loss (loss_of()). Throws
/// bad_input in scores() if a score is no probability, or no logarithm of one, as `outputs`
/// requires. The result is Supervised if `model` is.
std::unique_ptr<Classifier> two_classes_of(std::unique_ptr<Classifier> model, ScoreKind outputs);

}  // namespace assay
