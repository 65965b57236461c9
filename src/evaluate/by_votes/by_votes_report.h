// Reports on values by votes.
#pragma once

#include <span>
#include <vector>

#include "assay/evaluate/by_votes.h"
#include "assay/report.h"

namespace assay {

/// One table per data set.
std::vector<Block> by_votes_blocks(std::span<const ByVotes> results);
/// All measurements, for csv.
std::vector<Measurement> measurements_by_votes(std::span<const ByVotes> results);

}  // namespace assay
