// Questions with all data that annotators see.
#pragma once

#include <map>
#include <vector>

#include "assay/mad/questions.h"
#include "mad/competition_rows.h"
#include "mad/tally.h"

namespace assay::mad {

class ShownQuestions {
public:
    explicit ShownQuestions(const Competition& competition);
    OpenQuestion of(const QuestionRow& row, const QuestionTally& tally) const;

private:
    const Competition& competition_;
    std::map<std::int64_t, ImageRow> images_;
    std::vector<std::string> names_;
};

/// The random order in which questions are asked.
bool asked_before(const QuestionRow& one, const QuestionRow& other);
/// Questions that are currently asked and not settled, as indices in tally.questions, in order.
std::vector<std::size_t> open_places(const Competition& competition, const Tally& tally);

}  // namespace assay::mad
