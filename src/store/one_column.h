// Handles one score per row from a binary classifier. The score belongs to class 1, the positive
// class of two classes.
#pragma once

#include "store/score_source.h"

namespace assay {
struct ImportOptions;
}

namespace assay::store {

/// Adds the second class to a source with one score per row: logits become (0, z), probabilities (1
/// - p, p), log-probabilities (log(1 - p), log p). A note reports it. Other sources are unchanged.
/// The kind is options.kind, else the kind from the column's name, else probabilities if all scores
/// are in [0, 1] and not all are integers. Throws usage if this gives no kind, and bad_input if the
/// numbers contradict it. Cost: one pass over the scores.
void take_one_column(ScoreSource& source, const ImportOptions& options);

}  // namespace assay::store
