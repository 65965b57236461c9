// One score per row: a binary classifier's, which belongs to class 1, the positive class of two.
#pragma once

#include "store/score_source.h"

namespace assay {
struct ImportOptions;
}

namespace assay::store {

/// Gives a source with one score per row its second class: logits become (0, z), probabilities
/// (1 - p, p), log-probabilities (log(1 - p), log p), and a note says so. Other sources stay. What
/// the scores are: options.kind, else what the column is called, else probabilities where all lie
/// in [0, 1] and not all are whole numbers. Throws usage where that does not tell, bad_input where
/// the numbers contradict it. Cost: one pass over the scores.
void take_one_column(ScoreSource& source, const ImportOptions& options);

}  // namespace assay::store
