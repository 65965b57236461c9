// What a score is.
#pragma once

#include <string_view>

namespace assay {

/// Metrics that need probabilities apply softmax to logits only; a second softmax is refused where
/// it can be seen.
enum class ScoreKind { logits, probabilities, log_probabilities };

std::string_view name_of(ScoreKind);
/// "logits", "probabilities", "log_probabilities". Throws usage with the known names.
ScoreKind score_kind_named(std::string_view);

}  // namespace assay
