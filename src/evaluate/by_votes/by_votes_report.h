// Values by votes as people read them.
#pragma once

#include <span>
#include <vector>

#include "assay/evaluate/by_votes.h"
#include "assay/report.h"

namespace assay {

/// A table for each data set.
std::vector<Block> by_votes_blocks(std::span<const ByVotes> results);
/// The measurements of all, for csv.
std::vector<Measurement> measurements_by_votes(std::span<const ByVotes> results);

}  // namespace assay
