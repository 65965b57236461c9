// How probable it is that a suspect label is wrong, by what people said about other ones.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/estimate.h"

namespace assay::audit {

enum class Answer : std::uint8_t {
    none,  ///< nobody was asked
    correct,
    wrong,          ///< people said so
    from_file,      ///< correct by a file of labels
    wrong_by_file,  ///< wrong by a file of labels
    cannot_be_judged,
};

struct WrongLabels {
    std::vector<Estimate> probability;  ///< of the first labels; defined only for Answer::none
    Estimate number;                    ///< of wrong labels among those that can be judged
};

/// Fewer answers than this say too little.
inline constexpr std::size_t fewest_answers = 20;

/// Regresses people's answers on the scores: logit P(wrong) = a + b x with x = (-score)^1.5. The
/// unit of x is its median. The priors are normal: a has mean -4 and standard deviation 2, and b
/// has mean 0 and standard deviation 3, without negative values. People's answers are false with
/// one probability: 0, 2, 5 or 10 %, with equal prior weights. A label's probability is the mean
/// over the posterior distribution. A grid of 41 x 41 points for each of these represents it. The
/// same distribution says how many of the judged labels are wrong, because some answers are false.
/// Labels that a file says to be wrong count fully, but do not enter the regression, because a file
/// may hold wrong ones only. Labels that nobody can judge do not enter the number; its `n` counts
/// the others.
///
/// `scores` and `answers` have an entry for each suspect label, and the most suspicious comes
/// first. The first `listed` ones get a probability. A probability is undefined for fewer than 20
/// answers. It is also undefined outside the range of answers, except for 5 % of that range at each
/// end. The number is defined if the probability is, for all labels without an answer. If all
/// labels have answers but people judged fewer than 20, it is the count without an interval.
///
/// Tested on the worlds of bench/audit_worlds.py: docs/suspect-labels.md. Cost: 6,724 terms for
/// each label, and three times as many more for each answer.
WrongLabels estimate_wrong_labels(std::span<const double> scores, std::span<const Answer> answers,
                                  std::size_t listed, double level);

}  // namespace assay::audit
