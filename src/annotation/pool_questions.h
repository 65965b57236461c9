// Questions that were asked under several names become one.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/annotation/votes.h"

namespace assay {

/// Joins the questions of `votes` whose image and label mean the same under the first of their
/// names, drops the other names, and counts the joined ones in `votes.pooled`. Returns the new
/// number of each question; answers are the caller's to move.
std::vector<std::uint32_t> pool_questions(Votes& votes, const VoteMeanings& meanings);

}  // namespace assay
