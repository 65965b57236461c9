// The input of a ranking, and the commands for missing input.
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
    std::vector<PairCounts> counts;  ///< counts of each pair
    ImageFacts facts;
    bool most_shared_first = false;  ///< true if some images were asked in that order
    ControlSample control;
};

/// Throws usage for fewer than two classifiers, unknown names, or no answers yet (with the command
/// to type).
RankInput read_rank_input(const Competition& competition, const RankOptions& options);

/// `part` is the subcommand of `assay`, as in "mad select"; `more` is further text to type.
std::string command_for(const Competition& competition, std::string_view part,
                        std::string_view more = "");

}  // namespace assay::mad
