// Which questions people see together, and in which order they are asked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "labelling/question_csv.h"

namespace assay::labelling {

/// An annotator's answers to a screen go over the network as one piece.
constexpr std::uint32_t most_cells = 500;

struct PlannedScreen {
    std::string name;                      ///< of a batch; "": none was given
    std::vector<std::uint32_t> questions;  ///< places in QuestionSet::questions, as they are shown
};

/// In the order of asking, which is random, as is that of the questions of a screen: what is asked
/// first is no hint. Of grids: a batch of a label, or else as few groups as hold `cells` images
/// each, whose sizes and numbers of known answers of each kind differ by at most one. Throws
/// bad_input: a screen of more than most_cells.
std::vector<PlannedScreen> plan_screens(const QuestionSet& set, Task task, std::uint32_t cells,
                                        std::uint64_t seed);

}  // namespace assay::labelling
