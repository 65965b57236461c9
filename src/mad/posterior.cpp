#include "assay/mad/posterior.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/error.h"
#include "mad/definite.h"
#include "mad/small_matrix.h"
#include "mad/working_scores.h"

namespace assay::mad {
namespace {

/// What the answers of one pair say of L.
struct Observed {
    std::size_t i = 0, j = 0;
    bool any = false;
    double y = 0, variance = 0;
    double gain = 0;  ///< tau^2 / (tau^2 + variance): how far L follows y, not theta
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

double left_of_list(const PairSample& pair) {
    return 1 - static_cast<double>(pair.counts.n()) / static_cast<double>(pair.list);
}

void check_lists(std::span<const PairSample> pairs) {
    for (const PairSample& pair : pairs) {
        if (pair.list != 0 && pair.counts.n() > pair.list)
            throw Error(ErrorCode::usage, fmt::format("{} answered images of a list of {}",
                                                      pair.counts.n(), pair.list));
    }
}

/// The Gaussian posterior of theta, and what follows for L and for the scores, the row means of L.
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
        observe_all(pairs);
    }

    std::vector<double> scores() const {
        const auto classifiers = static_cast<double>(m_);
        std::vector<double> out(m_, 0.0);
        std::vector<bool> there(m_ * m_, false);
        const auto add = [&](std::size_t i, std::size_t j, double l) {
            out[i] += l / classifiers;
            out[j] -= l / classifiers;
        };
        for (const Observed& o : observed_) {
            add(o.i, o.j, mean_of(o));
            there[o.i * m_ + o.j] = true;
        }
        for (std::size_t i = 0; i < m_; ++i) {
            for (std::size_t j = i + 1; j < m_; ++j)
                if (!there[i * m_ + j]) add(i, j, theta_[i] - theta_[j]);
        }
        return out;
    }

private:
    /// `l`: of the pair, as far as it is known. A list's own log ratio is smoothed, and normal
    /// enough; the classifiers' true one is followed by Newton's method (its working observation),
    /// because smoothing would draw what is hardly ever correct to the middle.
    void observe(const PairSample& pair, double l, Observed& o) const {
        const PairCounts& c = pair.counts;
        if (!o.any) return;
        if (pair.list != 0) {
            o.y = std::log((static_cast<double>(c.first_correct()) + .5) /
                           (static_cast<double>(c.second_correct()) + .5));
            o.variance = sample_variance(c) * left_of_list(pair);
        } else {
            const auto correct = static_cast<double>(c.first_correct() + c.second_correct());
            const double p = 1 / (1 + std::exp(-std::clamp(l, -30.0, 30.0)));
            const double spread = correct * p * (1 - p);
            o.y = l + (static_cast<double>(c.first_correct()) - correct * p) / spread;
            o.variance = dispersion(c) / spread;
        }
        o.gain = tau2_ / (tau2_ + o.variance);
    }
    double mean_of(const Observed& o) const {
        return (1 - o.gain) * (theta_[o.i] - theta_[o.j]) + o.gain * o.y;
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
        std::vector<double> at(pairs.size(), 0.0);
        for (int step = 0; step < most_steps; ++step) {
            solve();
            double moved = 0;
            for (std::size_t p = 0; p < pairs.size(); ++p) {
                if (!observed_[p].any || pairs[p].list != 0) continue;
                const double before = at[p], found = mean_of(observed_[p]);
                at[p] = before + std::clamp(found - before, -2.0, 2.0);
                moved = std::max(moved, std::abs(at[p] - before));
            }
            if (moved < 1e-11) break;
            for (std::size_t p = 0; p < pairs.size(); ++p) observe(pairs[p], at[p], observed_[p]);
        }
    }

    /// Precision of theta: I / spread^2 + sum over pairs of c c' / (tau^2 + v), c = e_i - e_j.
    void solve() {
        SmallMatrix precision(m_);
        theta_.assign(m_, 0.0);
        for (std::size_t a = 0; a < m_; ++a) precision(a, a) = 1 / prior_variance_;
        for (const Observed& o : observed_) {
            if (!o.any) continue;
            const double w = 1 / (tau2_ + o.variance);
            precision.add_contrast(o.i, o.j, w);
            theta_[o.i] += w * o.y;
            theta_[o.j] -= w * o.y;
        }
        DefiniteFactor(precision.values(), m_).solve(theta_);
    }

    std::size_t m_;
    double prior_variance_;
    double tau2_;
    std::vector<Observed> observed_;
    std::vector<double> theta_;  ///< posterior mean
};

}  // namespace

std::vector<double> posterior_scores(std::size_t classifiers, std::span<const PairSample> pairs,
                                     const PosteriorOptions& options) {
    return Model(classifiers, pairs, options).scores();
}

}  // namespace assay::mad
