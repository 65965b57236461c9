// A file's answers into the database: which of them are new, and which count.
#pragma once

#include "assay/mad/questions.h"

namespace assay::mad {

/// All of the file, in a transaction, or nothing; fills in the round's counts of answers.
void take_answers(Competition& competition, const AnswerOptions& options, AnswerRound& round);

}  // namespace assay::mad
