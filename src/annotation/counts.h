#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/annotation/votes.h"

namespace assay {

/// Counts how often each answer was given to a question.
class AnswerCounts {
public:
    explicit AnswerCounts(const Votes& votes) : votes_(votes), counts_(votes.answers()) {}

    /// K counts, which are valid until the next call.
    std::span<const std::uint32_t> of(std::size_t question) {
        std::fill(counts_.begin(), counts_.end(), 0U);
        const auto answers = static_cast<std::uint32_t>(counts_.size());
        for (const std::uint32_t code : votes_.of(question)) ++counts_[code % answers];
        return counts_;
    }
    /// The proportion of each answer among all votes; zeros if there are none.
    std::vector<double> proportions() const {
        std::vector<std::uint64_t> totals(votes_.answers(), 0);
        for (const std::uint32_t code : votes_.codes) ++totals[code % votes_.answers()];
        std::vector<double> out;
        for (const std::uint64_t n : totals)
            out.push_back(votes_.codes.empty()
                              ? 0
                              : static_cast<double>(n) / static_cast<double>(votes_.codes.size()));
        return out;
    }

private:
    const Votes& votes_;
    std::vector<std::uint32_t> counts_;
};

}  // namespace assay
