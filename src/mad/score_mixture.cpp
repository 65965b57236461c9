#include "mad/score_mixture.h"

#include <algorithm>

#include "core/statistics.h"
#include "mad/definite.h"

namespace assay::mad {
namespace {

constexpr std::size_t spreads = 13;
/// The spreads .05, .0707, ..., 3.2.
double spread_number(std::size_t h) {
    return .05 * std::exp2(static_cast<double>(h) / 2);
}
/// The ratio (tau / sigma)^2 of the prior.
constexpr double ratio2 = .16;
/// The variance of a difference counts as zero up to this fraction of sigma^2.
constexpr double known_part = 1e-6;
constexpr double same_score = 1e-9;

double largest_of_diagonal(const SmallMatrix& a) {
    double largest = 0;
    for (std::size_t k = 0; k < a.size(); ++k) largest = std::max(largest, a(k, k));
    return largest;
}

/// The prior's covariance: sigma^2 (first + ratio^2 second).
SmallMatrix of_prior(const SmallMatrix& first, const SmallMatrix& second, double sigma) {
    SmallMatrix out(first.size());
    out.add(first, sigma * sigma);
    out.add(second, sigma * sigma * ratio2);
    return out;
}

/// Mean and variance of the difference of two scores in one component.
struct Difference {
    double mean = 0, variance = 0;
    bool known = false;
    bool is_tie() const { return known && std::abs(mean) <= same_score; }
};
Difference difference(const ScoreMixture::Component& one, std::size_t a, std::size_t b) {
    Difference out;
    out.mean = one.mean[a] - one.mean[b];
    const SmallMatrix& c = one.covariance;
    out.variance = std::max(0.0, c(a, a) + c(b, b) - 2 * c(a, b));
    out.known = out.variance <= known_part * (one.spread > 0 ? one.spread * one.spread : 1);
    return out;
}

}  // namespace

ScoreMixture score_mixture(const WorkingScores& working) {
    const std::size_t m = working.classifiers;
    ScoreMixture out;
    if (working.known) {
        out.components.push_back({0, 1, working.at_end, SmallMatrix(m)});
        return out;
    }
    SmallMatrix widest =
        of_prior(working.own_first, working.own_second, spread_number(spreads - 1));
    widest.add(working.covariance);
    const double largest = largest_of_diagonal(widest);
    const double ridge = std::max(1e-9 * largest, 1e-300);
    double best = 0;
    std::vector<double> logarithms;
    for (std::size_t h = 0; h < spreads; ++h) {
        const double sigma = spread_number(h);
        SmallMatrix all = of_prior(working.own_first, working.own_second, sigma);
        all.add(working.covariance);
        // Scores have mean 0, so the constant direction does not affect the products. It gets the
        // same variance for every spread, so that the factorization exists.
        const double idle = std::max(largest, 1e-300) / static_cast<double>(m);
        for (std::size_t r = 0; r < m; ++r) {
            all(r, r) += ridge;
            for (std::size_t c = 0; c < m; ++c) all(r, c) += idle;
        }
        const DefiniteFactor factor(all.values(), m);
        std::vector<double> solved = working.scores;
        factor.solve(solved);
        double square = 0;
        for (std::size_t a = 0; a < m; ++a) square += working.scores[a] * solved[a];
        logarithms.push_back(.5 * std::log(sigma) - .5 * factor.log_determinant() - .5 * square);
        best = h == 0 ? logarithms[h] : std::max(best, logarithms[h]);

        const SmallMatrix cross = of_prior(working.cross_first, working.cross_second, sigma);
        ScoreMixture::Component one;
        one.spread = sigma;
        one.mean.assign(m, 0.0);
        SmallMatrix turned(m);  // M^-1 N'
        std::vector<double> column(m);
        for (std::size_t a = 0; a < m; ++a) {
            for (std::size_t k = 0; k < m; ++k) {
                one.mean[a] += cross(a, k) * solved[k];
                column[k] = cross(a, k);
            }
            factor.solve(column);
            for (std::size_t k = 0; k < m; ++k) turned(k, a) = column[k];
        }
        one.covariance = of_prior(working.target_first, working.target_second, sigma);
        one.covariance.add(product(cross, turned), -1);
        out.components.push_back(std::move(one));
    }
    double sum = 0;
    for (std::size_t h = 0; h < spreads; ++h) {
        out.components[h].weight = std::exp(logarithms[h] - best);
        sum += out.components[h].weight;
    }
    for (ScoreMixture::Component& one : out.components) one.weight /= sum;
    return out;
}

std::vector<double> ScoreMixture::mean() const {
    std::vector<double> out(components.front().mean.size(), 0.0);
    for (const Component& one : components) {
        for (std::size_t a = 0; a < out.size(); ++a) out[a] += one.weight * one.mean[a];
    }
    return out;
}

double ScoreMixture::variance(std::size_t a) const {
    double first = 0, second = 0;
    for (const Component& one : components) {
        first += one.weight * one.mean[a];
        second += one.weight * (one.covariance(a, a) + one.mean[a] * one.mean[a]);
    }
    return std::max(0.0, second - first * first);
}

double ScoreMixture::variance_of_difference(std::size_t a, std::size_t b) const {
    double first = 0, second = 0;
    for (const Component& one : components) {
        const Difference d = difference(one, a, b);
        first += one.weight * d.mean;
        second += one.weight * (d.variance + d.mean * d.mean);
    }
    return std::max(0.0, second - first * first);
}

double ScoreMixture::above(std::size_t a, std::size_t b) const {
    double out = 0;
    for (const Component& one : components) {
        const Difference d = difference(one, a, b);
        const double p = !d.known     ? normal_cdf(d.mean / std::sqrt(d.variance))
                         : d.is_tie() ? .5
                         : d.mean > 0 ? 1
                                      : 0;
        out += one.weight * p;
    }
    return out;
}

bool ScoreMixture::is_known_tie(std::size_t a, std::size_t b) const {
    return std::all_of(components.begin(), components.end(),
                       [&](const Component& one) { return difference(one, a, b).known; }) &&
           std::abs(mean()[a] - mean()[b]) <= same_score;
}

}  // namespace assay::mad
