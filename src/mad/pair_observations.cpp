#include "mad/pair_observations.h"

#include <algorithm>
#include <cmath>

#include "mad/definite.h"
#include "mad/small_matrix.h"

namespace assay::mad {
namespace {

/// The information at log ratio l. The first classifier's share of the correct
/// predictions is binomial. Images that show both labels are uninformative and reduce the
/// dispersion.
void observe_at(PairObservation& pair, double l) {
    const double correct = pair.first + pair.second;
    const double p = 1 / (1 + std::exp(-std::clamp(l, -30.0, 30.0)));
    const double spread = correct * p * (1 - p);
    const double dispersion = (correct - 2 * pair.both + 1) / (correct + 1);
    pair.y = l + (pair.first - correct * p) / spread;
    pair.variance = dispersion * pair.kish / spread;
}

/// The precision of theta: I / spread^2 + sum of c c' / (tau^2 + variance), c = e_i - e_j.
std::vector<double> theta_of(std::size_t classifiers, const std::vector<PairObservation>& pairs,
                             const PosteriorOptions& options) {
    SmallMatrix precision(classifiers);
    std::vector<double> theta(classifiers, 0.0);
    for (std::size_t a = 0; a < classifiers; ++a)
        precision(a, a) = 1 / (options.spread * options.spread);
    for (const PairObservation& pair : pairs) {
        const double w = 1 / (options.tau * options.tau + pair.variance);
        precision.add_contrast(pair.i, pair.j, w);
        theta[pair.i] += w * pair.y;
        theta[pair.j] -= w * pair.y;
    }
    DefiniteFactor(precision.values(), classifiers).solve(theta);
    return theta;
}

}  // namespace

double log_ratio_of(const PairObservation& pair, const std::vector<double>& theta,
                    const PosteriorOptions& options) {
    const double tau2 = options.tau * options.tau;
    // weight of y, as opposed to theta, in the estimate
    const double gain = tau2 / (tau2 + pair.variance);
    return (1 - gain) * (theta[pair.i] - theta[pair.j]) + gain * pair.y;
}

std::vector<double> observe_pairs(std::size_t classifiers, std::vector<PairObservation>& pairs,
                                  const PosteriorOptions& options) {
    // The log posterior is concave, so a few steps of length at most 2 are enough.
    constexpr int most_steps = 100;
    std::vector<double> at(pairs.size(), 0.0), theta;
    for (int step = 0; step < most_steps; ++step) {
        for (std::size_t p = 0; p < pairs.size(); ++p) observe_at(pairs[p], at[p]);
        theta = theta_of(classifiers, pairs, options);
        double moved = 0;
        for (std::size_t p = 0; p < pairs.size(); ++p) {
            const double found = log_ratio_of(pairs[p], theta, options);
            const double move = std::clamp(found - at[p], -2.0, 2.0);
            at[p] += move;
            moved = std::max(moved, std::abs(move));
        }
        if (moved < 1e-11) break;
    }
    return theta;
}

}  // namespace assay::mad
