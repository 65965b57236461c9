#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <numeric>

#include "assay/error.h"
#include "assay/replication/mixture.h"
#include "core/random.h"
#include "replication/mixture_newton.h"

namespace assay::replication {
namespace {

constexpr double min_weight = 1e-6;
constexpr int newton_steps = 2;
constexpr int rounds_to_a_hill = 20;
constexpr int most_exchanges = 3;
constexpr double least_gain = 1e-9;  ///< nats

/// Prefix sums of log(x + i), i = 0..n. With them, one pass gives the log-pmf of every reading
/// without a gamma function.
void log_rising(double x, std::size_t n, std::vector<double>& sums) {
    sums.resize(n + 1);
    sums[0] = 0;
    for (std::size_t i = 0; i < n; ++i)
        sums[i + 1] = sums[i] + std::log(x + static_cast<double>(i));
}

class Em {
public:
    explicit Em(const CellCounts& counts) : grid_(counts.grid), counts_(counts.images) {
        total_ = std::accumulate(counts_.begin(), counts_.end(), 0.0);
        max_n_ = static_cast<std::size_t>(grid_.max_n());
        for (std::size_t c = 0; c < grid_.size(); ++c)
            choose_.push_back(log_choose(grid_.n(c), grid_.k(c)));
    }

    /// The log-likelihood and, if requested, responsibilities (part-major, times the counts).
    double expect(const BetaMixture& m, std::vector<double>* responsibility) {
        const std::size_t cells = grid_.size(), parts = m.parts();
        log_.resize(parts * cells);
        for (std::size_t j = 0; j < parts; ++j) {
            log_rising(m.a[j], max_n_, up_);
            log_rising(m.b[j], max_n_, down_);
            log_rising(m.a[j] + m.b[j], max_n_, both_);
            const double log_weight = m.weight[j] > 0 ? std::log(m.weight[j]) : -1e300;
            for (std::size_t c = 0; c < cells; ++c) {
                const auto n = static_cast<std::size_t>(grid_.n(c)),
                           k = static_cast<std::size_t>(grid_.k(c));
                log_[j * cells + c] = log_weight + choose_[c] + up_[k] + down_[n - k] - both_[n];
            }
        }
        if (responsibility != nullptr) responsibility->assign(parts * cells, 0.0);
        double sum = 0;
        for (std::size_t c = 0; c < cells; ++c) {
            if (counts_[c] == 0) continue;
            double top = log_[c];
            for (std::size_t j = 1; j < parts; ++j) top = std::max(top, log_[j * cells + c]);
            double all = 0;
            for (std::size_t j = 0; j < parts; ++j) all += std::exp(log_[j * cells + c] - top);
            sum += counts_[c] * (top + std::log(all));
            if (responsibility == nullptr) continue;
            for (std::size_t j = 0; j < parts; ++j) {
                (*responsibility)[j * cells + c] =
                    counts_[c] * std::exp(log_[j * cells + c] - top) / all;
            }
        }
        return sum;
    }

    void maximise(BetaMixture& m, const std::vector<double>& responsibility) {
        const std::size_t cells = grid_.size();
        for (std::size_t j = 0; j < m.parts(); ++j) {
            selected_.assign(max_n_, 0.0);
            rejected_.assign(max_n_, 0.0);
            asked_.assign(max_n_, 0.0);
            double weight = 0;
            for (std::size_t c = 0; c < cells; ++c) {
                const double r = responsibility[j * cells + c];
                if (r == 0) continue;
                weight += r;
                const auto n = static_cast<std::size_t>(grid_.n(c)),
                           k = static_cast<std::size_t>(grid_.k(c));
                if (k > 0) selected_[k - 1] += r;
                if (k < n) rejected_[n - k - 1] += r;
                asked_[n - 1] += r;
            }
            for (std::size_t i = max_n_ - 1; i-- > 0;) {  // turns exactly i + 1 into more than i
                selected_[i] += selected_[i + 1];
                rejected_[i] += rejected_[i + 1];
                asked_[i] += asked_[i + 1];
            }
            m.weight[j] = weight / total_;
            if (weight > 0) {
                for (int step = 0; step < newton_steps; ++step) newton(m.a[j], m.b[j]);
            }
        }
    }

    double total() const { return total_; }

private:
    /// Makes one damped Newton step in (log a, log b).
    void newton(double& a, double& b) const {
        double da = 0, db = 0, daa = 0, dbb = 0, dab = 0;
        for (std::size_t i = 0; i < max_n_; ++i) {
            const double ia = 1 / (a + static_cast<double>(i)),
                         ib = 1 / (b + static_cast<double>(i));
            const double iab = 1 / (a + b + static_cast<double>(i));
            da += selected_[i] * ia - asked_[i] * iab;
            db += rejected_[i] * ib - asked_[i] * iab;
            daa += asked_[i] * iab * iab - selected_[i] * ia * ia;
            dbb += asked_[i] * iab * iab - rejected_[i] * ib * ib;
            dab += asked_[i] * iab * iab;
        }
        const double ga = a * da, gb = b * db;
        double haa = -(ga + a * a * daa), hbb = -(gb + b * b * dbb);
        const double hab = -(a * b * dab);
        const double middle = (haa + hbb) / 2, radius = std::hypot((haa - hbb) / 2, hab);
        // If the surface is not concave here, the step follows mostly the slope, so that an almost
        // flat direction does not dominate.
        const double least = middle - radius, size = std::abs(middle) + radius;
        const double shift = least > 1e-8 * size ? 0 : 0.1 * size + 1e-12 - least;
        haa += shift;
        hbb += shift;
        const double determinant = haa * hbb - hab * hab;
        double sa = (hbb * ga - hab * gb) / determinant, sb = (haa * gb - hab * ga) / determinant;
        const double largest = std::max(std::abs(sa), std::abs(sb));
        if (!(largest < 1e300)) return;
        if (largest > 1) {
            sa /= largest;
            sb /= largest;
        }
        a = std::clamp(a * std::exp(sa), min_shape, max_shape);
        b = std::clamp(b * std::exp(sb), min_shape, max_shape);
    }

    const CellGrid& grid_;
    const std::vector<double>& counts_;
    std::vector<double> choose_;
    double total_ = 0;
    std::size_t max_n_ = 0;
    std::vector<double> log_, up_, down_, both_, selected_, rejected_, asked_;
};

/// Continues from `m` for at most `rounds` rounds, and keeps the best parameters found.
void climb(Em& em, BetaMixture& m, int rounds, double tolerance) {
    std::vector<double> responsibility;
    BetaMixture at = m, best = m;
    best.log_likelihood = -INFINITY;
    double last = -INFINITY;
    for (int round = 0;; ++round) {
        at.log_likelihood = em.expect(at, &responsibility);
        if (at.log_likelihood > best.log_likelihood) {
            best = at;
            best.rounds = m.rounds + round;
        }
        if (round > 0 &&
            std::abs(at.log_likelihood - last) < tolerance * std::abs(at.log_likelihood)) {
            best.converged = true;
            break;
        }
        if (round == rounds) break;
        last = at.log_likelihood;
        em.maximise(at, responsibility);
    }
    best.rounds = std::max(best.rounds, m.rounds);
    m = best;
}

BetaMixture fixed_start(int parts) {
    BetaMixture m;
    if (parts == 3)
        return {{.6, .3, .1}, {.93 * 12, .65 * 6, .30 * 4}, {.07 * 12, .35 * 6, .70 * 4}, 0, 0,
                false};
    for (int j = 0; j < parts; ++j) {  // means from low to high; high ones are narrow
        const double mean = parts == 1 ? .8 : .15 + .8 * j / (parts - 1), size = 4 + 8 * mean;
        m.weight.push_back(1.0 / parts);
        m.a.push_back(mean * size);
        m.b.push_back((1 - mean) * size);
    }
    return m;
}

BetaMixture random_start(int parts, std::uint64_t seed, int start) {
    RandomStream random(seed, "replicate.mixture", static_cast<std::uint64_t>(start));
    BetaMixture m;
    double sum = 0;
    for (int j = 0; j < parts; ++j) {
        m.a.push_back(.5 + 24.5 * random.uniform());
        m.b.push_back(.3 + 5.7 * random.uniform());
        m.weight.push_back(-std::log1p(-random.uniform()) +
                           1e-3);  // normalised exponentials have a Dirichlet(1) distribution
        sum += m.weight.back();
    }
    for (double& w : m.weight) w /= sum;
    return m;
}

/// Adds a narrow beta at the rate where readings are most frequent compared with the mixture's
/// expectation. At this rate a part with little weight gains most.
BetaMixture with_narrow_part(const CellCounts& counts, BetaMixture m, std::size_t part) {
    constexpr double narrow = 100, little = .03;
    constexpr int rates = 49;
    const std::size_t cells = counts.grid.size();
    std::vector<double> scarcity(cells, 0.0);  // observed images relative to the expected number
    for (std::size_t c = 0; c < cells; ++c) {
        if (counts.images[c] <= 0) continue;
        double expected = 0;
        for (std::size_t j = 0; j < m.parts(); ++j)
            expected += m.weight[j] * std::exp(log_beta_binomial(counts.grid.n(c), counts.grid.k(c),
                                                                 m.a[j], m.b[j]));
        scarcity[c] = counts.images[c] / std::max(expected, 1e-300);
    }
    double best = -1, rate = 0;
    for (int i = 1; i <= rates; ++i) {
        const double s = i / (rates + 1.0);
        double sum = 0;
        for (std::size_t c = 0; c < cells; ++c) {
            if (scarcity[c] > 0)
                sum += scarcity[c] * std::exp(log_beta_binomial(counts.grid.n(c), counts.grid.k(c),
                                                                narrow * s, narrow * (1 - s)));
        }
        if (sum > best) {
            best = sum;
            rate = s;
        }
    }
    const double rest = 1 - m.weight[part];
    for (double& w : m.weight) w *= (1 - little) / std::max(rest, little);
    m.weight[part] = little;
    m.a[part] = narrow * rate;
    m.b[part] = narrow * (1 - rate);
    m.rounds = 0;
    return m;
}

bool is_lower(const BetaMixture& x, const BetaMixture& y) {
    return x.log_likelihood < y.log_likelihood;
}

/// EM approaches a maximum, and Newton steps reach it. The starts miss small narrow parts. So each
/// part of the best result is then replaced in turn by a narrow one, as long as that improves it.
BetaMixture highest_by_both(Em& em, const CellCounts& counts, std::vector<BetaMixture>& starts,
                            const MixtureOptions& options) {
    const int em_rounds = std::min(rounds_to_a_hill, options.max_rounds);
    const auto climb_both = [&](BetaMixture& m) {
        climb(em, m, em_rounds, options.tolerance);
        climb_by_newton(counts, m, options.max_rounds - em_rounds);
    };
    for (BetaMixture& m : starts) climb_both(m);
    BetaMixture top = *std::max_element(starts.begin(), starts.end(), is_lower);
    if (options.start || options.parts == 1) return top;
    for (int time = 0; time < most_exchanges; ++time) {
        BetaMixture next = top;
        for (std::size_t j = 0; j < top.parts(); ++j) {
            BetaMixture m = with_narrow_part(counts, top, j);
            climb_both(m);
            if (is_lower(next, m)) next = std::move(m);
        }
        const bool higher = next.log_likelihood > top.log_likelihood + least_gain;
        top = std::move(next);
        if (!higher) break;
    }
    return top;
}

/// The surface is flat near its maximum, so every start gets some rounds, and only the best few
/// starts continue.
BetaMixture highest_by_em(Em& em, std::vector<BetaMixture>& starts, const MixtureOptions& options) {
    constexpr std::size_t go_on = 3;
    const int first_rounds = std::min(200, options.max_rounds);
    for (BetaMixture& m : starts) climb(em, m, first_rounds, options.tolerance);
    std::stable_sort(starts.begin(), starts.end(),
                     [](const BetaMixture& x, const BetaMixture& y) { return is_lower(y, x); });
    starts.resize(std::min(starts.size(), go_on));
    for (BetaMixture& m : starts) {
        if (!m.converged) climb(em, m, options.max_rounds - first_rounds, options.tolerance);
    }
    return *std::max_element(starts.begin(), starts.end(), is_lower);
}

}  // namespace

bool BetaMixture::is_point(std::size_t part) const {
    return weight[part] < min_weight || std::max(a[part], b[part]) >= max_shape * (1 - 1e-9);
}

double log_beta(double a, double b) {
    using boost::math::lgamma;  // the C library's version stores a sign in a global variable
    return lgamma(a) + lgamma(b) - lgamma(a + b);
}

double log_beta_binomial(int n, int k, double a, double b) {
    double sum = log_choose(n, k);
    for (int i = 0; i < k; ++i) sum += std::log(a + i);
    for (int i = 0; i < n - k; ++i) sum += std::log(b + i);
    for (int i = 0; i < n; ++i) sum -= std::log(a + b + i);
    return sum;
}

double log_likelihood(const CellCounts& counts, const BetaMixture& mixture) {
    return Em(counts).expect(mixture, nullptr);
}

BetaMixture fit_mixture(const CellCounts& counts, const MixtureOptions& options) {
    if (options.parts < 1 || options.parts > 50)
        throw Error(ErrorCode::usage, "a mixture needs 1 to 50 parts");
    if (counts.grid.size() == 0 || counts.total() <= 0) {
        throw Error(ErrorCode::bad_input, "a mixture cannot be fitted without images");
    }
    Em em(counts);
    std::vector<BetaMixture> found;
    if (options.start) {
        found = {*options.start};
        found.front().rounds = 0;
    } else {
        found = {fixed_start(options.parts)};
        for (int s = 0; s < options.random_starts; ++s)
            found.push_back(random_start(options.parts, options.seed, s));
    }
    return options.newton ? highest_by_both(em, counts, found, options)
                          : highest_by_em(em, found, options);
}

}  // namespace assay::replication
