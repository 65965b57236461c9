// Finds annotators who always give the same answer, who fail questions with known answers, or who
// contradict all others. Uses exact tests, so that a few answers give no finding.
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
    Estimate gold;       ///< proportion of gold questions answered correctly, without "cannot say"
    Estimate agreement;  ///< with the majority of the other annotators, if there is one
    /// The findings against the annotator, as sentences; none for blocked annotators.
    std::vector<std::string> findings;
};

/// Checks all annotators, by id. Blocked ones are described, but never count among "the others".
/// All tests are exact binomial tests at 1 % over all annotators and tests together (Bonferroni).
///
/// Finding "gives the same answer to everything": a fair coin would hardly have failed all
/// questions with another answer. That answer is gold's, or else the majority's of the others.
/// Without such questions, a coin would hardly show one side this often. Even odds are expected,
/// because a pair's images usually show one of its two labels. Finding "fails gold": an annotator
/// with three of four correct would hardly have so few correct answers. "Contradicts the others": a
/// coin would hardly agree so rarely. "Agrees less than the others": an annotator with twice the
/// others' disagreement would hardly agree so rarely. The others' rate is the upper end of Clopper
/// and Pearson's interval. People differ, so a smaller gap is not reported.
std::vector<AnnotatorCheck> check_annotators(const std::vector<QuestionRow>& questions,
                                             const std::vector<AnnotatorRow>& annotators,
                                             const std::vector<AnswerRow>& answers);
std::vector<AnnotatorCheck> check_annotators(const Competition& competition);
/// The findings about all annotators, in order.
std::vector<std::string> findings_of(const std::vector<AnnotatorCheck>& checks);

}  // namespace assay::mad
