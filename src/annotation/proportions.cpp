#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "annotation/counts.h"
#include "assay/annotation/aggregate.h"
#include "assay/error.h"

namespace assay {

std::vector<double> vote_proportions(const Votes& votes) {
    return weighted_proportions(votes, std::vector<double>(votes.annotators.size(), 1.0));
}

std::vector<double> weighted_proportions(const Votes& votes, std::span<const double> weights,
                                         std::uint64_t* fallbacks) {
    if (weights.size() != votes.annotators.size()) {
        throw Error(ErrorCode::usage, fmt::format("{} weights for {} annotators", weights.size(),
                                                  votes.annotators.size()));
    }
    for (std::size_t r = 0; r < weights.size(); ++r) {
        if (!(weights[r] >= 0 && std::isfinite(weights[r]))) {
            throw Error(ErrorCode::usage, fmt::format("weight {} of annotator `{}`: not 0 or more",
                                                      weights[r], votes.annotators[r]));
        }
    }
    std::vector<double> proportions(votes.questions(), 0);
    std::uint64_t without_weight = 0;
    for (std::size_t q = 0; q < proportions.size(); ++q) {
        double sum = 0, weight = 0, plain = 0;
        for (const std::uint32_t code : votes.of(q)) {
            const double w = weights[code / votes.answers()],
                         worth = votes.scale.worth(code % votes.answers());
            sum += w * worth;
            weight += w;
            plain += worth;
        }
        const auto n = static_cast<double>(votes.of(q).size());
        if (weight == 0 && n > 0) ++without_weight;
        // Rounding may move weighted sums of equal answers beyond the ends.
        proportions[q] = weight > 0 ? std::clamp(sum / weight, 0.0, 1.0) : n > 0 ? plain / n : 0;
    }
    if (fallbacks != nullptr) *fallbacks = without_weight;
    return proportions;
}

std::vector<double> agreement_weights(const Votes& votes) {
    const std::size_t annotators = votes.annotators.size();
    std::vector<std::uint64_t> same(annotators, 0), pairs(annotators, 0);
    AnswerCounts counts(votes);
    for (std::size_t q = 0; q < votes.questions(); ++q) {
        const auto c = counts.of(q);
        const std::uint64_t others = votes.of(q).size() - 1;
        for (const std::uint32_t code : votes.of(q)) {
            same[code / votes.answers()] += c[code % votes.answers()] - 1;
            pairs[code / votes.answers()] += others;
        }
    }
    double chance = 0;
    for (const double proportion : counts.proportions()) chance += proportion * proportion;
    std::vector<double> weights(annotators, 0);
    for (std::size_t r = 0; r < annotators; ++r) {
        if (pairs[r] == 0) continue;
        const double agreed = static_cast<double>(same[r]) / static_cast<double>(pairs[r]);
        weights[r] = chance >= 1 ? 1 : std::max(0.0, (agreed - chance) / (1 - chance));
    }
    return weights;
}

}  // namespace assay
