// Counts of images and questions for a ranking.
#pragma once

#include "assay/mad/rank.h"
#include "mad/rank_input.h"

namespace assay::mad {

/// How much more often an ideal combination of the two is correct than the better one, on the
/// images of the pair: the smaller of the proportions on which only one is correct. Its interval
/// joins those of both. Undefined without images.
Estimate combined_gain(const PairCounts& counts, double level);
/// Computes Ranking::pairs, cases and replaced.
void describe_pairs(const RankInput& in, Ranking& out);
/// Counts questions of the asked places and of the control sample, and their answers.
void count_questions(const RankInput& in, Ranking& out);
/// Counts for each classifier its distinct images, and those with a correct label.
void count_correct(const RankInput& in, Ranking& out);

}  // namespace assay::mad
