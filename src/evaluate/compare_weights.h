// Differences between two models of images that do not count the same.
//
// Both values move with the same image, so the spread is that of the difference of the two moves
// (weighted_interval.h).
#pragma once

#include <cstddef>

#include "assay/collective/comm.h"
#include "assay/evaluate/compare.h"
#include "evaluate/compare_pairing.h"
#include "evaluate/image_weights.h"

namespace assay::evaluate {

/// One of the two models.
struct WeighedSide {
    ScoredSet& set;
    const RowReader& reader;
    const Truth& truth;
};

/// Replaces the values of two sets, metric by metric, and pairs them.
class PairWeigher {
public:
    /// `weights` has one number for each row of the baseline; images that only one model scored do
    /// not count. The sides are kept by reference. All ranks do the same. Cost and memory: those of
    /// Weigher for both sides, and 32 bytes per image, and 8 more while a difference is computed.
    PairWeigher(const ImageWeights& weights, const Alignment& rows, const WeighedSide& baseline,
                const WeighedSide& candidate, const ScoreOptions& options, Comm& comm);

    /// Replaces both values of metric `i`.
    void weigh(std::size_t i);
    /// The difference, its interval and its test: of the last metric, which has both values.
    void fill_difference(PairedMetric& pair, double level) const;
    /// How many images count.
    std::string note() const { return baseline_.note(); }

private:
    const Alignment& rows_;
    const ImageWeights baseline_weights_, candidate_weights_;
    Weigher baseline_, candidate_;
    ItemMoves baseline_moves_, candidate_moves_;
};

}  // namespace assay::evaluate
