// Counts of images and questions for a ranking.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "assay/mad/rank.h"
#include "mad/rank_input.h"

namespace assay::mad {

/// RankedPair::combined_gain of these counts.
Estimate combined_gain(const PairCounts& counts, double level);
/// Computes Ranking::pairs, cases and replaced.
void describe_pairs(const RankInput& in, Ranking& out);
/// Counts questions of the asked places and of the control sample, and their answers.
void count_questions(const RankInput& in, Ranking& out);
/// For each classifier, whether its label is correct on each settled image of its pairs.
using CorrectByImage = std::vector<std::map<std::int64_t, bool>>;
CorrectByImage correct_by_image(const RankInput& in);
/// Counts for each classifier its distinct images, and those with a correct label.
void count_correct(const CorrectByImage& correct, Ranking& out);

}  // namespace assay::mad
