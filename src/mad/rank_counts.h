// Counts of images and questions for a ranking.
#pragma once

#include "assay/mad/rank.h"
#include "mad/rank_input.h"

namespace assay::mad {

/// Computes Ranking::pairs, cases and replaced.
void describe_pairs(const RankInput& in, Ranking& out);
/// Counts questions of the asked places and of the control sample, and their answers.
void count_questions(const RankInput& in, Ranking& out);
/// Counts for each classifier its distinct images, and those with a correct label.
void count_correct(const RankInput& in, Ranking& out);

}  // namespace assay::mad
