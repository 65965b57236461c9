#include "assay/mad/posterior.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "assay/error.h"
#include "core/statistics.h"
#include "mad/definite.h"
#include "mad/working_scores.h"

namespace assay::mad {
namespace {

/// What one more pair of classifiers without answers would have: their half counts alone.
constexpr double variance_of_none = 4;

/// What the answers of one pair say of L.
struct Observed {
    std::size_t i = 0, j = 0;
    bool any = false;
    double y = 0, variance = 0;
    double raw = 0;    ///< the variance without the list's end
    double gain = 0;   ///< tau^2 / (tau^2 + variance): how far L follows y, not theta
    double alone = 0;  ///< variance of L that theta does not explain
};

/// Of the smoothed log ratio of a finite list's answers, before the list shrinks it.
double sample_variance(const PairCounts& c) {
    const double x = static_cast<double>(c.first_correct()) + .5,
                 y = static_cast<double>(c.second_correct()) + .5;
    return 1 / x + 1 / y - 2 * static_cast<double>(c.both) / (x * y);
}

/// Of the correct predictions of a pair, those of the first are binomial with logit L, but for
/// images that show both labels, which are no news: this much less spread.
double dispersion(const PairCounts& c) {
    const auto correct = static_cast<double>(c.first_correct() + c.second_correct());
    return (static_cast<double>(c.only_first + c.only_second) + 1) / (correct + 1);
}

double left_of_list(const PairSample& pair, double answered) {
    return pair.list == 0 ? 1 : std::max(0.0, 1 - answered / static_cast<double>(pair.list));
}

void check_lists(std::span<const PairSample> pairs) {
    for (const PairSample& pair : pairs) {
        if (pair.list != 0 && pair.counts.n() > pair.list)
            throw Error(ErrorCode::usage, fmt::format("{} answered images of a list of {}",
                                                      pair.counts.n(), pair.list));
    }
}

/// The Gaussian posterior of theta, and what follows for L and for the scores s.
class Model {
public:
    Model(std::size_t classifiers, std::span<const PairSample> pairs,
          const PosteriorOptions& options)
        : m_(classifiers),
          prior_variance_(options.spread * options.spread),
          tau2_(options.tau * options.tau) {
        check_posterior_options(options);
        check_lists(pairs);
        std::vector<PairCounts> counts;
        for (const PairSample& pair : pairs) counts.push_back(pair.counts);
        log_ratios(classifiers, counts);  // for its checks
        at_.assign(pairs.size(), 0.0);
        observe_all(pairs);
        project();
        // What stays unsure when every list is answered is no part of what lists say.
        if (options.lists_alone && pairs.size() < m_ * (m_ - std::min<std::size_t>(m_, 1)) / 2)
            leave_out(with_all_answered(pairs));
    }

    std::size_t classifiers() const { return m_; }
    const std::vector<Observed>& observed() const { return observed_; }
    const std::vector<double>& mean() const { return mean_; }
    double covariance(std::size_t a, std::size_t b) const { return covariance_[a * m_ + b]; }
    const std::vector<double>& covariance() const { return covariance_; }
    double variance_of_difference(std::size_t a, std::size_t b) const {
        return std::max(0.0, covariance(a, a) + covariance(b, b) - 2 * covariance(a, b));
    }
    /// Of L of the pair.
    double variance(const Observed& o) const {
        const double theta =
            theta_[o.i * m_ + o.i] + theta_[o.j * m_ + o.j] - 2 * theta_[o.i * m_ + o.j];
        return (1 - o.gain) * (1 - o.gain) * theta + o.alone;
    }
    /// Of each score with L of the pair.
    std::vector<double> covariance_with(const Observed& o) const {
        std::vector<double> out(m_);
        for (std::size_t a = 0; a < m_; ++a)
            out[a] = (1 - o.gain) * (with_theta_[a * m_ + o.i] - with_theta_[a * m_ + o.j]);
        out[o.i] += o.alone / static_cast<double>(m_);
        out[o.j] -= o.alone / static_cast<double>(m_);
        return out;
    }

private:
    /// `l`: of the pair, as far as it is known. A list's own log ratio is smoothed, and normal
    /// enough; the classifiers' true one is followed by Newton's method (its working observation),
    /// because smoothing would draw what is hardly ever correct to the middle.
    void observe(const PairSample& pair, double l, Observed& o) const {
        const PairCounts& c = pair.counts;
        if (!o.any) {
            o.alone = tau2_;
            return;
        }
        if (pair.list != 0) {
            o.y = std::log((static_cast<double>(c.first_correct()) + .5) /
                           (static_cast<double>(c.second_correct()) + .5));
            o.raw = sample_variance(c);
            o.variance = o.raw * left_of_list(pair, static_cast<double>(c.n()));
        } else {
            const auto correct = static_cast<double>(c.first_correct() + c.second_correct());
            const double p = 1 / (1 + std::exp(-std::clamp(l, -30.0, 30.0)));
            const double spread = correct * p * (1 - p);
            o.y = l + (static_cast<double>(c.first_correct()) - correct * p) / spread;
            o.variance = o.raw = dispersion(c) / spread;
        }
        o.gain = tau2_ / (tau2_ + o.variance);
        o.alone = o.gain * o.variance;
    }
    double mean_of(const Observed& o) const {
        return (1 - o.gain) * (mean_theta_[o.i] - mean_theta_[o.j]) + o.gain * o.y;
    }

    void observe_all(std::span<const PairSample> pairs) {
        for (const PairSample& pair : pairs) {
            Observed& o = observed_.emplace_back();
            o.i = pair.counts.first;
            o.j = pair.counts.second;
            // Images that show neither label say nothing of a ratio.
            o.any = pair.list != 0 ? pair.counts.n() > 0
                                   : pair.counts.first_correct() + pair.counts.second_correct() > 0;
            observe(pair, 0, o);
        }
        // The posterior's logarithm is concave: a few steps are enough, each at most 2 long.
        constexpr int most_steps = 100;
        for (int step = 0; step < most_steps; ++step) {
            solve();
            double moved = 0;
            for (std::size_t p = 0; p < pairs.size(); ++p) {
                if (!observed_[p].any || pairs[p].list != 0) continue;
                const double before = at_[p], found = mean_of(observed_[p]);
                at_[p] = before + std::clamp(found - before, -2.0, 2.0);
                moved = std::max(moved, std::abs(at_[p] - before));
            }
            if (moved < 1e-11) break;
            for (std::size_t p = 0; p < pairs.size(); ++p) observe(pairs[p], at_[p], observed_[p]);
        }
    }

    /// Precision of theta: I / spread^2 + sum over pairs of c c' / (tau^2 + v), c = e_i - e_j.
    void solve() {
        std::vector<double> precision(m_ * m_, 0.0), right(m_, 0.0);
        for (std::size_t a = 0; a < m_; ++a) precision[a * m_ + a] = 1 / prior_variance_;
        for (const Observed& o : observed_) {
            if (!o.any) continue;
            const double w = 1 / (tau2_ + o.variance);
            precision[o.i * m_ + o.i] += w;
            precision[o.j * m_ + o.j] += w;
            precision[o.i * m_ + o.j] -= w;
            precision[o.j * m_ + o.i] -= w;
            right[o.i] += w * o.y;
            right[o.j] -= w * o.y;
        }
        const DefiniteFactor factor(std::move(precision), m_);
        factor.solve(right);
        mean_theta_ = std::move(right);
        theta_.assign(m_ * m_, 0.0);
        std::vector<double> unit(m_);
        for (std::size_t a = 0; a < m_; ++a) {
            std::fill(unit.begin(), unit.end(), 0.0);
            unit[a] = 1;
            factor.solve(unit);
            std::copy(unit.begin(), unit.end(),
                      theta_.begin() + static_cast<std::ptrdiff_t>(a * m_));
        }
    }

    /// L_p = (1 - g) (theta_i - theta_j) + g y + e_p, and s = row means of L.
    void project() {
        const auto classifiers = static_cast<double>(m_);
        std::vector<double> follows(m_ * m_, 0.0), own(m_ * m_, 0.0);
        std::vector<bool> there(m_ * m_, false);
        mean_.assign(m_, 0.0);
        const auto add = [&](const Observed& o) {
            const double f = (1 - o.gain) / classifiers, e = o.alone / (classifiers * classifiers);
            follows[o.i * m_ + o.i] += f;
            follows[o.i * m_ + o.j] -= f;
            follows[o.j * m_ + o.j] += f;
            follows[o.j * m_ + o.i] -= f;
            own[o.i * m_ + o.i] += e;
            own[o.j * m_ + o.j] += e;
            own[o.i * m_ + o.j] -= e;
            own[o.j * m_ + o.i] -= e;
            mean_[o.i] += o.gain * o.y / classifiers;
            mean_[o.j] -= o.gain * o.y / classifiers;
            there[o.i * m_ + o.j] = true;
        };
        for (const Observed& o : observed_) add(o);
        for (std::size_t i = 0; i < m_; ++i) {
            for (std::size_t j = i + 1; j < m_; ++j) {
                Observed none;
                none.i = i;
                none.j = j;
                none.alone = tau2_;
                if (!there[i * m_ + j]) add(none);
            }
        }
        with_theta_.assign(m_ * m_, 0.0);
        covariance_ = std::move(own);
        for (std::size_t a = 0; a < m_; ++a) {
            for (std::size_t k = 0; k < m_; ++k) {
                const double f = follows[a * m_ + k];
                mean_[a] += f * mean_theta_[k];
                if (f == 0) continue;
                for (std::size_t b = 0; b < m_; ++b)
                    with_theta_[a * m_ + b] += f * theta_[k * m_ + b];
            }
        }
        for (std::size_t a = 0; a < m_; ++a) {
            for (std::size_t b = 0; b < m_; ++b) {
                for (std::size_t k = 0; k < m_; ++k)
                    covariance_[a * m_ + b] += with_theta_[a * m_ + k] * follows[b * m_ + k];
            }
        }
    }

    /// The model once every list is known; its means are of no use.
    Model with_all_answered(std::span<const PairSample> pairs) const {
        Model all = *this;
        for (std::size_t p = 0; p < pairs.size(); ++p) {
            Observed& o = all.observed_[p];
            if (pairs[p].list == 0) continue;
            o.any = true;
            o.variance = o.alone = 0;
            o.gain = 1;
        }
        all.solve();
        all.project();
        return all;
    }
    void leave_out(const Model& rest) {
        for (std::size_t c = 0; c < covariance_.size(); ++c) covariance_[c] -= rest.covariance_[c];
    }

    std::size_t m_;
    double prior_variance_;
    double tau2_;
    std::vector<Observed> observed_;
    std::vector<double> at_;                  ///< L of each pair, where it is observed
    std::vector<double> mean_theta_, theta_;  ///< posterior mean and covariance of theta
    std::vector<double> mean_, covariance_;   ///< of the scores
    std::vector<double> with_theta_;          ///< covariance of each score with each theta
};

/// Probability that a difference of this mean and variance is above 0.
double above_zero(double mean, double variance) {
    if (!(variance > 0)) return mean > 0 ? 1 : mean < 0 ? 0 : .5;
    return normal_cdf(mean / std::sqrt(variance));
}

/// Of the order of two such differences; a known tie has none that is wrong.
double wrong_order(double mean, double variance) {
    if (!(variance > 0)) return 0;
    const double above = above_zero(mean, variance);
    return std::min(above, 1 - above);
}

/// Nodes and weights for the mean of f(z), z standard normal (Abramowitz and Stegun 25.10, times
/// sqrt 2 and over sqrt pi).
constexpr std::array<std::pair<double, double>, 7> hermite = {{
    {-3.7504397177257425, 5.4826885597222e-4},
    {-2.3667594107345416, 3.0757123967586497e-2},
    {-1.1544053947399682, .24012317860501271},
    {0, .45714285714285713},
    {1.1544053947399682, .24012317860501271},
    {2.3667594107345416, 3.0757123967586497e-2},
    {3.7504397177257425, 5.4826885597222e-4},
}};
constexpr std::array<std::uint32_t, 4> look_ahead = {4, 12, 30, 60};

/// Mean probability of a wrong order after an observation that takes `removed` from the variance of
/// each difference, whose mean it moves by sqrt(removed) z.
double expected_error(const Model& model, const std::vector<double>& with, double informative) {
    const std::size_t m = model.classifiers();
    double sum = 0;
    for (std::size_t a = 0; a < m; ++a) {
        for (std::size_t b = a + 1; b < m; ++b) {
            const double mean = model.mean()[a] - model.mean()[b];
            const double before = model.variance_of_difference(a, b);
            const double moved = (with[a] - with[b]) / std::sqrt(informative);
            const double after = before - moved * moved;
            for (const auto& node : hermite) {
                sum += node.second * wrong_order(mean + moved * node.first, after);
            }
        }
    }
    return sum / (static_cast<double>(m) * static_cast<double>(m - 1) / 2);
}

double error_of(const Model& model) {
    const std::size_t m = model.classifiers();
    if (m < 2) return 0;
    double sum = 0;
    for (std::size_t a = 0; a < m; ++a) {
        for (std::size_t b = a + 1; b < m; ++b) {
            sum +=
                wrong_order(model.mean()[a] - model.mean()[b], model.variance_of_difference(a, b));
        }
    }
    return sum / (static_cast<double>(m) * static_cast<double>(m - 1) / 2);
}

}  // namespace

std::vector<double> posterior_scores(std::size_t classifiers, std::span<const PairSample> pairs,
                                     const PosteriorOptions& options) {
    return Model(classifiers, pairs, options).mean();
}

std::optional<NextImages> next_images(std::size_t classifiers, std::span<const PairSample> pairs,
                                      const PosteriorOptions& options) {
    const Model model(classifiers, pairs, options);
    if (classifiers < 2) return std::nullopt;
    const double now = error_of(model);
    std::optional<NextImages> best;
    for (std::size_t p = 0; p < pairs.size(); ++p) {
        const PairSample& pair = pairs[p];
        const Observed& o = model.observed()[p];
        const auto n = static_cast<double>(pair.counts.n());
        const double raw = o.any ? o.raw : variance_of_none;
        const std::uint64_t open = pair.list == 0 ? look_ahead.back() : pair.list - pair.counts.n();
        const std::vector<double> with = model.covariance_with(o);
        std::uint64_t last = 0;
        for (const std::uint32_t ahead : look_ahead) {
            const std::uint64_t images = std::min<std::uint64_t>(ahead, open);
            if (images == last) break;
            last = images;
            const auto more = static_cast<double>(images);
            const double after = raw * (n + 2) / (n + 2 + more) * left_of_list(pair, n + more);
            // An observation of this variance turns the one that is there into the one after it.
            const double added = !o.any               ? after
                                 : o.variance > after ? o.variance * after / (o.variance - after)
                                                      : 0;
            const double informative = model.variance(o) + added;
            if (!(informative > 0)) continue;
            const double gain = (now - expected_error(model, with, informative)) / more;
            if (!best || gain > best->gain)
                best = NextImages{p, static_cast<std::uint32_t>(images), gain};
        }
    }
    return best;
}

}  // namespace assay::mad
