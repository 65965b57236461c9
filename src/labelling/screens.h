// Groups questions into screens, and orders them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "labelling/question_csv.h"

namespace assay::labelling {

/// The limit exists because a screen's answers are sent as one message.
constexpr std::uint32_t most_cells = 500;

struct PlannedScreen {
    std::string name;                      ///< name of a batch; "" if none was given
    std::vector<std::uint32_t> questions;  ///< indices in QuestionSet::questions, in the order
                                           ///< shown
};

/// Screens in the order of asking. This order and that of a screen's questions are random, so that
/// they give no hint. A grid is a batch of a label. Without batches, there are as few groups of up
/// to `cells` images as possible, whose sizes and numbers of known answers differ by at most one.
/// Throws bad_input for a screen of more than most_cells.
std::vector<PlannedScreen> plan_screens(const QuestionSet& set, Task task, std::uint32_t cells,
                                        std::uint64_t seed);

}  // namespace assay::labelling
