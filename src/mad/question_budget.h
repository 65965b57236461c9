// Chooses which images to ask about if the budget does not allow all.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "assay/mad/questions.h"
#include "mad/image_draws.h"
#include "mad/question_rows.h"

namespace assay::mad {

struct AskInput {
    const Tally* tally = nullptr;
    const std::vector<PairRow>* pairs = nullptr;  ///< pairs as read
    const std::vector<SelectedRow>* selected = nullptr;
    std::vector<std::uint32_t> numbers;  ///< numbers of the classifiers, ascending
    ImageDraws draws;
    const AnsweredPlaces* answered = nullptr;  ///< answered places of these pairs
    const Posterior* now = nullptr;            ///< posterior of the order from all lists
    std::uint64_t seed = 0;
};

struct BudgetChoice {
    std::vector<std::size_t> places;  ///< indices in `selected`, image by image
    std::uint64_t questions = 0;      ///< questions for these places that do not exist yet
    ImageDraws draws;                 ///< new draws, and images that are counted for the first time
    std::uint64_t images_drawn = 0;
};
/// Adds whole images, each with all questions for its accepted places, while fewer than `budget`
/// are added. The last image may exceed the budget. First come images that were asked before and
/// have new places, then others as `order` says. Images whose questions all exist cost nothing, and
/// are added without a draw. Images new to all rounds form a new stratum. The draw with a
/// given number depends only on the seed and that number. Cost: the remaining images for each draw.
BudgetChoice images_within_budget(const AskInput& in, std::uint64_t budget, AskOrder order);

}  // namespace assay::mad
