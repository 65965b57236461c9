// The kinds of scores.
#pragma once

#include <string_view>

namespace assay {

/// Metrics that need probabilities apply softmax only to logits, and refuse a second softmax if
/// they detect it. `labels` means that only the predicted class is known, without a score. Such
/// stores come from imports (StorageFormat::label, with 1 as the probability), and no classifier
/// returns them.
enum class ScoreKind { logits, probabilities, log_probabilities, labels };

std::string_view name_of(ScoreKind);
/// The kinds that a classifier may return: "logits", "probabilities", "log_probabilities". Throws
/// usage with these names.
ScoreKind score_kind_named(std::string_view);

}  // namespace assay
