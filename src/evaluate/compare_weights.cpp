#include "evaluate/compare_weights.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "core/statistics.h"
#include "evaluate/weighted_interval.h"

namespace assay::evaluate {
namespace {

/// The weights of common images, at the rows of one side.
ImageWeights common_weights(const ImageWeights& weights, const Alignment& rows,
                            const std::vector<std::uint64_t>& places, std::uint64_t all) {
    ImageWeights out{std::vector<double>(static_cast<std::size_t>(all)), weights.zero,
                     weights.without};
    for (std::size_t i = 0; i < places.size(); ++i)
        out.of[static_cast<std::size_t>(places[i])] =
            weights.of[static_cast<std::size_t>(rows.baseline[i])];
    return out;
}

}  // namespace

PairWeigher::PairWeigher(const ImageWeights& weights, const Alignment& rows,
                         const WeighedSide& baseline, const WeighedSide& candidate,
                         const ScoreOptions& options, Comm& comm)
    : rows_(rows),
      baseline_weights_(
          common_weights(weights, rows, rows.baseline, baseline.reader.store().rows())),
      candidate_weights_(
          common_weights(weights, rows, rows.candidate, candidate.reader.store().rows())),
      baseline_(baseline.set, baseline_weights_, baseline.reader, baseline.truth, options, comm),
      candidate_(candidate.set, candidate_weights_, candidate.reader, candidate.truth, options,
                 comm) {}

void PairWeigher::weigh(std::size_t i) {
    baseline_moves_ = candidate_moves_ = {};
    baseline_.weigh(i, &baseline_moves_);
    candidate_.weigh(i, &candidate_moves_);
}

void PairWeigher::fill_difference(PairedMetric& pair, double level) const {
    const ItemMoves &a = baseline_moves_, &b = candidate_moves_;
    Estimate& difference = pair.difference;
    const double value = *pair.candidate.value - *pair.baseline.value;
    difference.value = value;
    std::string why = !a.no_interval.empty() ? a.no_interval : b.no_interval;
    std::vector<double> moved;
    for (std::size_t i = 0; i < rows_.baseline.size(); ++i) {
        const double x = a.of[static_cast<std::size_t>(rows_.baseline[i])],
                     y = b.of[static_cast<std::size_t>(rows_.candidate[i])];
        if (std::isnan(x) && std::isnan(y)) continue;
        if (std::isnan(x) || std::isnan(y)) {
            if (why.empty()) why = "some images count for one of the two models only";
            break;
        }
        moved.push_back(y - x);
    }
    if (!why.empty()) {
        difference.note = "no interval: " + why;
        return;
    }
    InfluenceSpread spread = influence_spread(moved);
    spread.degrees = std::min({spread.degrees, a.degrees, b.degrees});
    difference.standard_error = spread.error;
    pair.test = "influence.t";
    constexpr double rounding = 1e-12;
    const double least =
        rounding * std::max(std::abs(*pair.baseline.value), std::abs(*pair.candidate.value));
    if (spread.error <= least) {  // each image moves both values alike
        pair.p = std::abs(value) <= least ? 1 : 0;
        difference.note = "no interval: the difference is the same without any of the images";
        return;
    }
    // Each value may be too high by what noise adds.
    const double half = student_t_quantile(0.5 + level / 2, spread.degrees) * spread.error;
    difference.interval =
        Interval{value - half - b.noise, value + half + a.noise, level, "influence.t.paired"};
    const double beyond =
        value > 0 ? std::max(value - b.noise, 0.0) : -std::min(value + a.noise, 0.0);
    pair.p = std::min(1.0, 2 * student_t_tail(beyond / spread.error, spread.degrees));
}

}  // namespace assay::evaluate
