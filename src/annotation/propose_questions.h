// Makes the questions about every item from the thresholds, and counts the labels that the
// proposals find.
#pragma once

#include <cstdint>
#include <vector>

#include "annotation/propose_inputs.h"
#include "annotation/propose_thresholds.h"
#include "assay/annotation/propose.h"
#include "assay/collective/comm.h"

namespace assay::propose {

/// Questions and counts for some items. Parts are added in the items' order.
struct QuestionCounts {
    std::vector<Question> questions;
    std::uint64_t asked = 0, agreed = 0, not_scored = 0;  ///< items
    std::uint64_t most = 0;                               ///< the most questions about one item
    std::uint64_t original = 0, original_found = 0;       ///< original labels, and those proposed
    std::uint64_t gold = 0, gold_found = 0;
    std::vector<std::uint64_t> proposals, alone, found;  ///< by model; `found` counts known labels

    explicit QuestionCounts(std::size_t models) : proposals(models), alone(models), found(models) {}
    void add(const QuestionCounts& part);
};
/// Every rank reads its part of the items and returns the total counts.
QuestionCounts choose_questions(const Inputs& inputs, const Thresholds& thresholds, Comm& comm,
                                const ProgressCallback& progress);

/// The double with the fewest digits that rounds to this float: 0.1F is written 0.1, not
/// 0.10000000149011612.
double shortest(float value);

}  // namespace assay::propose
