// What the tags of images, such as ways to fail, change about a ranking.
#pragma once

#include <vector>

#include "assay/mad/rank.h"
#include "mad/rank_counts.h"
#include "mad/rank_input.h"

namespace assay::mad {

/// Reads options.tags, or else the most used tags of the answers, and computes for each tag the
/// classifiers' errors on its images, and their places without these images. `correct` is
/// correct_by_image(), and `component` is HodgeRanking::component of the full ranking. Throws
/// bad_input for a file without the columns image and tag, or without a tag of a selected image.
/// Cost: one ranking without intervals for each tag.
void add_tags(const Competition& competition, const RankInput& in, const CorrectByImage& correct,
              const std::vector<std::uint32_t>& component, Ranking& out);
Table tag_table(const Ranking& ranking);

}  // namespace assay::mad
