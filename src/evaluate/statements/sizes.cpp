#include "evaluate/statements/sizes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/statistics.h"

namespace assay::statements {
namespace {

constexpr double clear_at = 2.5, smallest_error = 1e-12;

// Mean |truth + error| of a draw. It uses four sums, because a single sum waits for each
// addition.
double mean_absolute(std::span<const double> truth, std::span<const double> error) {
    std::array<double, 4> sums{};
    std::size_t m = 0;
    for (; m + 4 <= truth.size(); m += 4) {
        for (std::size_t k = 0; k < 4; ++k) sums[k] += std::abs(truth[m + k] + error[m + k]);
    }
    double rest = 0;
    for (; m < truth.size(); ++m) rest += std::abs(truth[m] + error[m]);
    return (sums[0] + sums[1] + sums[2] + sums[3] + rest) / static_cast<double>(truth.size());
}

// Compares the gaps of several models with draws of their errors.
class AbsoluteGap {
public:
    AbsoluteGap(std::span<const double> gaps, std::vector<double> errors, const Matrix& draws)
        : gaps_(gaps), errors_(std::move(errors)), draws_(draws), truth_(gaps.size(), 0) {
        for (double& s : errors_) s = std::max(s, smallest_error);
        for (const double d : gaps) seen_ += std::abs(d) / static_cast<double>(gaps.size());
    }
    double seen() const { return seen_; }
    double error(std::size_t m) const { return errors_[m]; }
    double sign(std::size_t m) const { return gaps_[m] < 0 ? -1 : 1; }
    bool clear(std::size_t m) const { return std::abs(gaps_[m]) > clear_at * errors_[m]; }

    // The low end at probability p: all gaps move towards 0 by the same number of steps, until the
    // observed value is the upper p quantile.
    double low(std::span<const double> steps, double p) {
        std::ranges::fill(truth_, 0.0);
        if (above() >= p) return 0;
        double top = 0;
        for (std::size_t m = 0; m < gaps_.size(); ++m)
            top = std::max(top, std::abs(gaps_[m]) / errors_[m]);
        const auto pull = [&](double l) {
            for (std::size_t m = 0; m < gaps_.size(); ++m)
                truth_[m] = sign(m) * std::max(0.0, std::abs(gaps_[m]) - l * steps[m] * errors_[m]);
        };
        pull(bisected(0, top, [&](double l) {
            pull(l);
            return p - above();
        }));
        double sum = 0;
        for (const double t : truth_) sum += std::abs(t);
        return sum / static_cast<double>(truth_.size());
    }
    // The high end: gaps of equal size in units of their errors, with these signs.
    double high(std::span<const double> signs, double p) {
        std::ranges::fill(truth_, 0.0);
        if (below() <= p) return 0;
        const double mean = mean_of(errors_);
        return bisected(0, seen_ / mean + 6,
                        [&](double c) {
                            for (std::size_t m = 0; m < gaps_.size(); ++m)
                                truth_[m] = c * signs[m] * errors_[m];
                            return p - below();
                        }) *
               mean;
    }

private:
    double above() const {
        return proportion([this](double mean) { return mean >= seen_; });
    }
    double below() const {
        return proportion([this](double mean) { return mean <= seen_; });
    }
    template <class Holds>
    double proportion(Holds&& holds) const {
        std::size_t count = 0;
        for (std::size_t b = 0; b < draws_.rows; ++b)
            count += holds(mean_absolute(truth_, draws_.row(b))) ? 1 : 0;
        return static_cast<double>(count) / static_cast<double>(draws_.rows);
    }

    std::span<const double> gaps_;
    std::vector<double> errors_;
    const Matrix& draws_;
    std::vector<double> truth_;
    double seen_ = 0;
};

// Gaps that differ clearly from 0 keep their sign; the others get the sign of their covariance with
// the errors of the clear ones.
std::vector<double> signs_of(const AbsoluteGap& gap, std::span<const double> gaps,
                             const Factor& first, const Factor& second) {
    std::vector<double> signs(gaps.size(), 0);
    bool any = false;
    double sum = 0;
    for (std::size_t m = 0; m < gaps.size(); ++m) {
        sum += gaps[m];
        if (!gap.clear(m)) continue;
        signs[m] = gap.sign(m);
        any = true;
    }
    if (!any) {
        std::ranges::fill(signs, sum >= 0 ? 1.0 : -1.0);
        return signs;
    }
    const std::vector<double> one = covariance_with(first, signs),
                              two = covariance_with(second, signs);
    for (std::size_t m = 0; m < gaps.size(); ++m) {
        if (!gap.clear(m)) signs[m] = one[m] + two[m] >= 0 ? 1 : -1;
    }
    return signs;
}

std::size_t surely(std::span<const double> z, std::span<const double> errors, const Matrix& draws,
                   double p) {
    std::vector<bool> got(z.size(), false);
    std::size_t count = 0;
    for (bool fresh = true; fresh && count < z.size();) {
        std::vector<double> largest(draws.rows, -std::numeric_limits<double>::infinity());
        for (std::size_t b = 0; b < draws.rows; ++b) {
            const auto row = draws.row(b);
            for (std::size_t m = 0; m < z.size(); ++m) {
                if (!got[m]) largest[b] = std::max(largest[b], row[m] / errors[m]);
            }
        }
        const double critical = quantile_of(std::move(largest), p);
        fresh = false;
        for (std::size_t m = 0; m < z.size(); ++m) {
            if (got[m] || z[m] <= critical) continue;
            got[m] = fresh = true;
            ++count;
        }
    }
    return count;
}

}  // namespace

std::vector<double> errors_of_gaps(const Factor& first, const Factor& second) {
    std::vector<double> out = errors_of(first);
    const std::vector<double> other = errors_of(second);
    for (std::size_t m = 0; m < out.size(); ++m)
        out[m] = std::sqrt(out[m] * out[m] + other[m] * other[m]);
    return out;
}

Range mean_gap(std::span<const double> gaps, const Factor& first, const Factor& second,
               double level) {
    const double mean = mean_of(gaps),
                 half = normal_quantile(.5 + level / 2) *
                        std::sqrt(variance_of_mean(first) + variance_of_mean(second));
    return {mean, mean - half, mean + half};
}

Range mean_absolute_gap(std::span<const double> gaps, const Factor& first, const Factor& second,
                        const Matrix& errors, double level) {
    const double tail = (1 - level) / 2;
    AbsoluteGap gap(gaps, errors_of_gaps(first, second), errors);
    std::vector<double> steps(gaps.size(), 1);
    double low = gap.low(steps, tail);
    const double middle = gap.low(steps, .5);
    std::size_t clear = 0;
    for (std::size_t m = 0; m < gaps.size(); ++m) {
        if (gap.clear(m)) {
            ++clear;
        } else {
            steps[m] = clear_at;
        }
    }
    if (clear > 0 && clear < gaps.size()) low = std::min(low, gap.low(steps, tail));
    const std::vector<double> signs = signs_of(gap, gaps, first, second);
    const Range mean = mean_gap(gaps, first, second, level);
    const double high = std::max({gap.high(signs, tail), mean.high, -mean.low});
    const double value = .5 * (middle + std::min(gap.high(signs, .5), gap.seen()));
    return {std::clamp(value, std::min(low, high), high), std::min(low, high), high};
}

Range spread(std::span<const double> values, double total, const Matrix& errors, double level) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    const auto [least, most] = std::ranges::minmax(values);
    if (least == most) return {0, nan, nan};
    const double tail = (1 - level) / 2, freedom = static_cast<double>(values.size() - 1);
    const std::vector<double> around = centred(values);
    const double squares = sum_of_products(around, around), seen = std::sqrt(squares / freedom),
                 noise = total / freedom;
    // The sum of squares of c x + e is c^2 xx + 2 c xe + ee.
    std::vector<std::pair<double, double>> draws(errors.rows);
    for (std::size_t b = 0; b < errors.rows; ++b) {
        const std::vector<double> e = centred(errors.row(b));
        draws[b] = {sum_of_products(around, e), sum_of_products(e, e)};
    }
    const auto above = [&](double c) {
        std::size_t count = 0;
        for (const auto& [product, own] : draws)
            count += c * c * squares + 2 * c * product + own >= squares ? 1 : 0;
        return static_cast<double>(count) / static_cast<double>(draws.size());
    };
    const double at_none = above(0), top = 1 + 8 * std::sqrt(noise) / std::max(seen, 1e-12);
    const auto end = [&](double p) {
        if (at_none >= p) return 0.0;
        return bisected(0, top, [&](double c) { return above(c) - p; }) * seen;
    };
    const double least_part = 1 / static_cast<double>(errors.rows);
    return {std::sqrt(std::max(0.0, seen * seen - noise)), end(tail),
            end(1 - tail * std::max(1 - at_none, least_part))};
}

WithinMargin within_margin(std::span<const double> gaps, std::span<const double> errors_of_gaps,
                           const Matrix& errors, double margin, double level) {
    const double p = 1 - (1 - level) / 2;
    WithinMargin out;
    std::vector<double> sd(errors_of_gaps.begin(), errors_of_gaps.end()), inside, outside;
    for (std::size_t m = 0; m < gaps.size(); ++m) {
        out.seen += std::abs(gaps[m]) < margin ? 1 : 0;
        sd[m] = std::max(sd[m], smallest_error);
        inside.push_back((margin - std::abs(gaps[m])) / sd[m]);
        outside.push_back(-inside.back());
    }
    out.low = surely(inside, sd, errors, p);
    out.high = gaps.size() - surely(outside, sd, errors, p);
    return out;
}

}  // namespace assay::statements
