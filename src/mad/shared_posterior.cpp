// The posterior of the scores if pairs share images.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "assay/mad/posterior.h"
#include "core/random.h"
#include "core/statistics.h"
#include "mad/definite.h"
#include "mad/score_mixture.h"
#include "mad/working_scores.h"

namespace assay::mad {
namespace {

constexpr double little_spread = .1;  ///< up to this spread, classifiers are nearly equal

/// The number of draws from each component, in proportion to its weight, rounded down. The
/// remaining draws come from the heaviest.
std::vector<std::uint32_t> draws_of_components(const ScoreMixture& mixture, std::uint32_t draws) {
    std::vector<std::uint32_t> out;
    std::uint32_t left = draws;
    std::size_t heaviest = 0;
    for (std::size_t h = 0; h < mixture.components.size(); ++h) {
        const double weight = mixture.components[h].weight;
        const auto own = std::min(left, static_cast<std::uint32_t>(weight * draws));
        out.push_back(own);
        left -= own;
        if (weight > mixture.components[heaviest].weight) heaviest = h;
    }
    out[heaviest] += left;
    return out;
}

struct DrawnScores {
    std::vector<std::vector<double>> scores, ranks;  ///< for each classifier, draw by draw
};
DrawnScores draw_scores(const ScoreMixture& mixture, std::size_t m,
                        const PosteriorOptions& options) {
    DrawnScores out{std::vector<std::vector<double>>(m), std::vector<std::vector<double>>(m)};
    const std::vector<std::uint32_t> draws = draws_of_components(mixture, options.draws);
    std::vector<double> z(m), s(m);
    RandomStream random(options.seed, "mad ranks");
    for (std::size_t h = 0; h < draws.size(); ++h) {
        const ScoreMixture::Component& one = mixture.components[h];
        const SemidefiniteRoot root(one.covariance.values(), m);
        for (std::uint32_t d = 0; d < draws[h]; ++d) {
            for (double& x : z) x = random.normal();
            root.times(z, s);
            for (std::size_t a = 0; a < m; ++a) s[a] += one.mean[a];
            const std::vector<double> ranks = places_of(s);
            for (std::size_t a = 0; a < m; ++a) {
                out.scores[a].push_back(s[a]);
                out.ranks[a].push_back(ranks[a]);
            }
        }
    }
    return out;
}

/// An interval of whole places that includes the place itself.
Estimate rank_estimate(double place, std::vector<double> drawn, std::size_t m, double level) {
    Estimate rank;
    rank.unit = Unit::rank;
    rank.value = place;
    rank.n = m;
    Interval interval = percentile_interval(std::move(drawn), level, "posterior.draws");
    interval.low = std::min(std::floor(interval.low), place);
    interval.high = std::max(std::ceil(interval.high), place);
    rank.interval = interval;
    return rank;
}

double mean_error(const ScoreMixture& mixture, const std::vector<double>& scores,
                  const PairMatrix& better) {
    const std::size_t m = scores.size();
    if (m < 2) return 0;
    double sum = 0;
    for (std::size_t a = 0; a < m; ++a) {
        for (std::size_t b = a + 1; b < m; ++b) {
            if (mixture.is_known_tie(a, b)) continue;
            const double above = better.at(a, b);
            sum += scores[a] > scores[b] ? 1 - above : above;
        }
    }
    return sum / (static_cast<double>(m) * static_cast<double>(m - 1) / 2);
}

}  // namespace

Posterior posterior_of(std::size_t classifiers, const AnsweredPlaces& answered,
                       const PosteriorOptions& options) {
    Posterior out;
    const WorkingScores working = working_scores(classifiers, answered, options);
    out.effective_images = working.effective_images;
    out.images = working.images;
    out.better = PairMatrix(classifiers);
    out.variance = PairMatrix(classifiers);
    if (classifiers == 0) return out;
    const ScoreMixture mixture = score_mixture(working);
    std::vector<std::uint64_t> places(classifiers, 0);
    for (const AnsweredPlace& place : answered.places) {
        ++places[answered.pairs[place.pair].first];
        ++places[answered.pairs[place.pair].second];
    }
    const std::vector<double> scores = mixture.mean();
    const std::vector<double> ranks = places_of(scores);
    DrawnScores drawn = draw_scores(mixture, classifiers, options);
    for (std::size_t a = 0; a < classifiers; ++a) {
        Estimate score;
        score.value = scores[a];
        score.n = places[a];
        score.standard_error = std::sqrt(mixture.variance(a));
        score.interval =
            percentile_interval(std::move(drawn.scores[a]), options.level, "posterior.draws");
        out.scores.push_back(std::move(score));
        out.ranks.push_back(
            rank_estimate(ranks[a], std::move(drawn.ranks[a]), classifiers, options.level));
        for (std::size_t b = 0; b < classifiers; ++b) {
            out.better.at(a, b) = a == b ? .5 : mixture.above(a, b);
            if (a != b) out.variance.at(a, b) = mixture.variance_of_difference(a, b);
        }
    }
    out.error = mean_error(mixture, scores, out.better);
    for (const ScoreMixture::Component& one : mixture.components) {
        out.spread += one.weight * one.spread;
        if (!working.known && one.spread <= little_spread * (1 + 1e-12))
            out.all_but_equal += one.weight;
    }
    return out;
}

}  // namespace assay::mad
