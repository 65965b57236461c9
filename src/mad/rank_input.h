// What a ranking is computed from, and the commands that get what is missing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assay/mad/rank.h"
#include "mad/control_accuracy.h"
#include "mad/tally.h"

namespace assay::mad {

/// Everything that a ranking is computed from.
struct RankInput {
    std::vector<CompetitionClassifier> classifiers;
    std::vector<std::uint32_t> numbers;
    std::vector<PairRow> pairs;  ///< between these
    std::vector<SelectedRow> selected;
    Tally tally;
    std::vector<PairCounts> counts;  ///< one a pair
    ImageFacts facts;
    bool most_shared_first = false;  ///< some images were asked so
    ControlSample control;
};

/// Throws usage: fewer than two classifiers, names of others; nothing to rank by yet, with the
/// command to type.
RankInput read_rank_input(const Competition& competition, const RankOptions& options);

/// `part`: of `assay`, as in "mad select"; `more`: what else has to be typed.
std::string command_for(const Competition& competition, std::string_view part,
                        std::string_view more = "");

}  // namespace assay::mad
