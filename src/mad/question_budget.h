// Which images to ask about where not all can be.
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
    const std::vector<PairRow>* pairs = nullptr;  ///< as read
    const std::vector<SelectedRow>* selected = nullptr;
    std::vector<std::uint32_t> numbers;  ///< of the classifiers, ascending
    ImageDraws draws;
    const AnsweredPlaces* answered = nullptr;  ///< of these pairs
    const Posterior* now = nullptr;            ///< of the order that all lists give
    std::uint64_t seed = 0;
};

struct BudgetChoice {
    std::vector<std::size_t> places;  ///< of `selected`, image by image
    std::uint64_t questions = 0;      ///< that they need and that are not there yet
    ImageDraws draws;                 ///< new ones, and images that are counted for the first time
    std::uint64_t images_drawn = 0;
};
/// Whole images, each with all questions that its accepted places need, while fewer than `budget`
/// are added: the last one may go beyond by its own. First images that were asked before and have
/// new places, then images one after the other as `order` says. Images whose questions are all
/// there cost nothing, and are taken without a draw. Images that no round has seen make a stratum
/// of their own. The draw of a number depends on the seed and that number alone. Cost: of each draw
/// the images that are left.
BudgetChoice images_within_budget(const AskInput& in, std::uint64_t budget, AskOrder order);

}  // namespace assay::mad
