// What a ranking says of its images and questions by counting alone.
#pragma once

#include "assay/mad/rank.h"
#include "mad/rank_input.h"

namespace assay::mad {

/// Ranking::pairs, cases and replaced.
void describe_pairs(const RankInput& in, Ranking& out);
/// Questions of the asked places and of the control sample, and the answers to them.
void count_questions(const RankInput& in, Ranking& out);
/// Of each classifier's different images, on how many its label is correct.
void count_correct(const RankInput& in, Ranking& out);

}  // namespace assay::mad
