// Chooses thresholds and models, by a search on a sample of images with known labels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace assay {

/// Candidates of one image and model are numbered by the recall that they require. Level L means
/// that the model alone, with its threshold set to propose this candidate, proposes L - 1 known
/// labels with a better score. Level 0 is always proposed.
struct CandidatePairs {
    static constexpr std::uint32_t never = UINT32_MAX;
    std::size_t models = 0;
    std::vector<std::uint32_t> levels;  ///< pairs x models; `never` if it is not among the model's
                                        ///< best
    std::vector<char> known;            ///< pairs: 1 if the label is known to be correct
    std::vector<char> free;             ///< pairs: 1 if it is asked anyway (an original label)
    std::uint64_t unseen = 0;           ///< known labels that no model has among its best
    std::uint64_t granted = 0;          ///< known labels that need no question, in skipped images

    std::size_t size() const { return known.size(); }
    std::uint64_t all_known() const;
};

struct Choice {
    std::uint64_t mask = 0;       ///< bit m: model m
    std::uint32_t level = 0;      ///< level of the threshold of each model
    std::uint64_t questions = 0;  ///< pairs that are proposed or asked anyway
    std::uint64_t found = 0;      ///< known labels
    bool reached = false;
};

/// The lowest level at which the models in `mask` together propose `wanted` known labels.
Choice level_for(const CandidatePairs& pairs, std::uint64_t mask, std::uint64_t wanted);
/// The subset that reaches `wanted` with the fewest questions. Ties prefer fewer models, then the
/// lower mask. If no subset reaches it, returns all models.
Choice best_subset(const CandidatePairs& pairs, std::uint64_t wanted, int threads);

}  // namespace assay
