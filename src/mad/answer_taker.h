// Stores a file's answers in the database, and decides which are new and which count.
#pragma once

#include "assay/mad/questions.h"

namespace assay::mad {

/// Stores the whole file in one transaction, or nothing. Sets the round's counts of answers.
void take_answers(Competition& competition, const AnswerOptions& options, AnswerRound& round);

}  // namespace assay::mad
