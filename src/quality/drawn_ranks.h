// Ranks of scores, and their intervals from draws of the scores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "assay/estimate.h"
#include "assay/quality/quba.h"

namespace assay::quality {

/// Throws usage: a level outside (0, 1), replicates outside 100 to 1,000,000.
void check_score_options(const QubaOptions& options);
/// Throws usage: more than 100,000,000 draws of all models.
void check_draws(const QubaOptions& options, std::size_t models);

/// The rank of each score: 1 + the count of larger scores. Throws bad_input for a score that is not
/// finite, or above 1e150.
std::vector<std::uint32_t> ranks_of(const std::vector<double>& scores);

/// An observed rank among `among` models, with the percentile interval of the drawn ranks. The
/// interval consists of whole places and includes the observed one.
Estimate rank_estimate(double value, const std::vector<std::uint32_t>& drawn, std::size_t among,
                       double level);

/// The results of the draws for one model.
struct DrawnModel {
    double mean = 0, squares = 0;  ///< Welford's sums for the scores
    std::uint32_t best = 0, top5 = 0;
    std::vector<std::uint32_t> ranks, places;

    /// Adds draw number `before` (from 0).
    void add(double score, std::uint32_t rank, std::uint32_t before);
};

}  // namespace assay::quality
