// What a score is.
#pragma once

#include <string_view>

namespace assay {

/// Metrics that need probabilities apply softmax to logits only; a second softmax is refused where
/// it can be seen. `labels`: only the predicted class is known, without any score; such stores are
/// imported (StorageFormat::label, with 1 for the probability), and no classifier returns them.
enum class ScoreKind { logits, probabilities, log_probabilities, labels };

std::string_view name_of(ScoreKind);
/// What a classifier may return: "logits", "probabilities", "log_probabilities". Throws usage with
/// these names.
ScoreKind score_kind_named(std::string_view);

}  // namespace assay
