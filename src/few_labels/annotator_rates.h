// How often annotators are right, from questions with known answers, and accuracies corrected for
// it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>

#include "annotation/image_answers.h"
#include "assay/estimate.h"
#include "few_labels/pool.h"
#include "few_labels/target.h"

namespace assay::few_labels {

/// Questions with known answers (gold) that annotators settled.
struct GoldCounts {
    std::uint64_t yes = 0, yes_found = 0;  ///< known answer yes; settled as yes
    std::uint64_t no = 0, no_found = 0;    ///< known answer no; settled as no
    std::uint64_t open = 0;                ///< without an answer, or nobody can say
    std::set<std::uint64_t> rows;          ///< of their images
};

/// Reads a csv with the columns image, label and answer (yes or no), as `assay mad questions
/// --gold` does, and compares it with the votes. Throws bad_input with the line: an image outside
/// the data set, an unknown class or answer, two rows that contradict each other. Throws it, too,
/// if annotators settled fewer than 30 questions of either kind.
GoldCounts read_gold_counts(const std::filesystem::path& file, const Pool& pool,
                            const ImageAnswerReader& votes);

/// The probabilities that annotators say yes where it is right (sensitivity), and no where that is.
struct AnswerRates {
    Estimate sensitivity, specificity;
};
/// Values are (found + 1/2) / (all + 1), with Wilson's intervals. Throws bad_input if answers say
/// nothing: sensitivity + specificity <= 1.
AnswerRates answer_rates(const GoldCounts& counts, double quantile, double level);

/// The accuracy (Rogan and Gladen 1978) of which `judged` is what annotators see. Its interval
/// joins those of the rates (MOVER).
TargetEstimate corrected_accuracy(const TargetEstimate& judged, const AnswerRates& rates);
/// The same for a difference of two accuracies with its interval, in [-1, 1].
Estimate corrected_difference(const Estimate& judged, const AnswerRates& rates);

}  // namespace assay::few_labels
