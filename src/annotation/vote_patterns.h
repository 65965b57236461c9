// Groups questions that have the same answers by the same annotators, because their posteriors are
// equal.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/annotation/votes.h"

namespace assay {

struct VotePatterns {
    std::vector<std::uint64_t> begin;        ///< patterns + 1
    std::vector<std::uint32_t> codes;        ///< codes of pattern p: codes[begin[p], begin[p + 1])
    std::vector<std::uint32_t> questions;    ///< the number of questions with this pattern
    std::vector<std::uint32_t> of_question;  ///< Q indices

    std::size_t size() const noexcept { return questions.size(); }
    std::span<const std::uint32_t> operator[](std::size_t pattern) const {
        return std::span(codes).subspan(begin[pattern], begin[pattern + 1] - begin[pattern]);
    }
};

/// Finds the patterns in the order of occurrence. Cost: one pass over the votes. Memory: at most as
/// much as the votes.
VotePatterns group_by_answers(const Votes& votes);

}  // namespace assay
