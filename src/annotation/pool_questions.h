// Merges questions that were asked under several names.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/annotation/votes.h"

namespace assay {

/// Merges the questions of `votes` whose image and label mean the same, under the first of their
/// names. Drops the other names, and counts the merged questions in `votes.pooled`. Returns the new
/// number of each question. The caller must move the answers.
std::vector<std::uint32_t> pool_questions(Votes& votes, const VoteMeanings& meanings);

}  // namespace assay
