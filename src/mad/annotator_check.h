// Annotators who click the same answer whatever is asked, who miss questions with known answers, or
// who contradict everyone else: found by exact tests, so that few answers accuse nobody.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/estimate.h"
#include "assay/mad/competition.h"
#include "mad/competition_rows.h"

namespace assay::mad {

struct AnnotatorCheck {
    AnnotatorRow annotator;
    std::uint64_t answers = 0, yes = 0, no = 0, cannot_say = 0;
    Estimate gold;       ///< proportion of gold questions answered as known; "cannot say" apart
    Estimate agreement;  ///< with the majority of the other annotators, where there is one
    /// What speaks against the annotator, each a whole sentence; none of blocked ones.
    std::vector<std::string> findings;
};

/// All annotators, by id; blocked ones are described and never among "the others".
///
/// Says one thing to everything: of the questions to which gold, or else the majority of the
/// others, answers something else, a coin would have missed all with a small probability; without
/// any such comparison, that a coin shows one side so often (a pair's images show one of its two
/// labels as a rule, so that even odds are what to expect).
/// Fails gold: so few would be answered as known with small probability by someone who is correct
/// three times in four. Contradicts the others: likewise, by a coin. Agrees with the majority less
/// than the others do: so few answers of somebody who disagrees twice as often as, at most (the
/// upper end of Clopper and Pearson's interval), all others together; people differ, and a smaller
/// distance is no fault.
/// "Small" is 1 % over all annotators and tests together (Bonferroni); binomial, exact.
std::vector<AnnotatorCheck> check_annotators(const std::vector<QuestionRow>& questions,
                                             const std::vector<AnnotatorRow>& annotators,
                                             const std::vector<AnswerRow>& answers);
std::vector<AnnotatorCheck> check_annotators(const Competition& competition);
/// The findings of all, in order.
std::vector<std::string> findings_of(const std::vector<AnnotatorCheck>& checks);

}  // namespace assay::mad
