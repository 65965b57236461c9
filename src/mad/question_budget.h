// Which places to ask about where not all can be: those that tell most about the ranking.
#pragma once

#include <cstdint>
#include <vector>

#include "mad/question_rows.h"

namespace assay::mad {

struct BudgetChoice {
    std::vector<std::size_t> places;  ///< of `selected`, in the order in which they were chosen
    std::uint64_t questions = 0;      ///< that they need and that are not there yet
};
/// At most `budget` new questions. Again and again the pair is taken whose next images lower the
/// expected error of the ranking most (next_images()), its accepted places in their random order,
/// as many as it looks ahead; answers to come, of these and of earlier ones that are open, are
/// taken to keep the proportions of the pair's cases so far. Places whose questions are there cost
/// nothing, and are taken where they are next. `pairs`, `selected`: as read. Cost: that of
/// next_images() for every four images or more.
BudgetChoice places_within_budget(const Tally& tally, const std::vector<PairRow>& pairs,
                                  const std::vector<SelectedRow>& selected,
                                  const std::vector<std::uint32_t>& numbers, std::uint64_t budget);

/// The counts with so many more images, of the cases in proportion to `now` (half an image added
/// to each).
PairCounts extended(PairCounts now, std::uint64_t images);

}  // namespace assay::mad
