// Warnings for readers of a ranking.
#pragma once

#include <string>

#include "assay/mad/rank.h"
#include "mad/rank_input.h"

namespace assay::mad {

/// The names of the pair's classifiers: "a and b".
std::string pair_name(const Ranking& ranking, const RankedPair& pair);
void add_rank_warnings(const Competition& competition, const RankInput& in, Ranking& out);

}  // namespace assay::mad
