#include "metric/agreement.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/core.h>

#include "assay/error.h"
#include "core/statistics.h"

namespace assay {

Agreement agreement_named(std::string_view name) {
    if (name == "recall") return Agreement::recall;
    if (name == "jaccard") return Agreement::jaccard;
    if (name == "hamming") return Agreement::hamming;
    throw Error(ErrorCode::internal, fmt::format("agreement `{}`", name));
}

double agreement_of(Agreement kind, std::uint32_t g, std::uint32_t h, std::uint32_t classes) {
    const double size = g, hits = h;
    switch (kind) {
        case Agreement::recall:
            return hits / size;
        case Agreement::jaccard:
            return hits / (2 * size - hits);
        case Agreement::hamming:
            return 1 - 2 * (size - hits) / static_cast<double>(classes);
    }
    return 0;
}

Interval mean_interval(const MeanAgreement& m, double level) {
    const auto n = static_cast<double>(m.n);
    const double z = normal_quantile(0.5 + level / 2), p = m.mean;
    double size = n;
    const double spread = p * (1 - p);
    if (!m.yes_or_no && spread > 0 && m.n > 1) {
        const double variance = ((n - 1) * m.variance + 2 * spread) / (n + 1);
        size = spread * n / variance;
        const double t = student_t_quantile(0.5 + level / 2, n - 1);
        size *= z * z / (t * t);
    }
    return wilson_of_size(p, size, z, level, m.yes_or_no ? "wilson" : "wilson.clusters");
}

void add_mean_interval(Estimate& mean, double square_sum, double to_unit, bool yes_or_no,
                       double level) {
    const double unit = *mean.value * to_unit;
    const auto n = static_cast<double>(mean.n);
    MeanAgreement agreement{mean.n, unit, 0, yes_or_no};
    if (mean.n > 1) agreement.variance = std::max(0.0, square_sum - n * unit * unit) / (n - 1);
    mean.standard_error = std::sqrt(agreement.variance / n) / to_unit;
    Interval interval = mean_interval(agreement, level);
    interval.low = std::min(*mean.value, interval.low / to_unit);
    interval.high = std::max(*mean.value, interval.high / to_unit);
    mean.interval = interval;
}

namespace {

// A mean as a proportion of `size` images: its actual number, or a different one if its variance
// differs from that of a proportion.
struct Proportion {
    double mean = 0, size = 0, weight = 1;
    double degrees = 0;  // degrees of freedom of its variance; 0 if it is known
};

Proportion proportion_of(const MeanAgreement& m, double weight) {
    const auto n = static_cast<double>(m.n);
    const double spread = m.mean * (1 - m.mean);
    if (m.yes_or_no || spread <= 0 || m.n < 2) return {m.mean, n, weight, 0};
    const double variance = ((n - 1) * m.variance + spread) / n;
    return {m.mean, spread * n / variance, weight, n};
}

// Returns the x <= p at which n (p - x)^2 / (x (1 - x)) = n (p^2 / x + (1 - p)^2 / (1 - x) - 1)
// falls with slope -pull.
double pulled_down(const Proportion& p, double pull) {
    const double up = p.mean * p.mean, down = (1 - p.mean) * (1 - p.mean), slope = pull / p.size;
    if (up <= 0) return 0;
    if (down <= 0) return slope > 1 ? std::sqrt(1 / slope) : 1;
    double low = 0, high = p.mean;
    for (int i = 0; i < 50; ++i) {
        const double x = (low + high) / 2;
        (up / (x * x) - down / ((1 - x) * (1 - x)) > slope ? low : high) = x;
    }
    return high;
}

// The smallest sum with a chi-square of at most `bound`: Lagrange's condition gives the means for
// one multiplier, and the chi-square increases with it.
double least_sum(std::span<const Proportion> list, double bound) {
    double low = 1e-12, high = 1e30, sum = 0;
    for (int i = 0; i < 70; ++i) {
        const double pull = std::sqrt(low * high);
        double chi = 0, at = 0;
        for (const Proportion& p : list) {
            const double x = pulled_down(p, pull * p.weight);
            at += p.weight * x;
            if (x > 0 && x < p.mean) chi += p.size * (p.mean - x) * (p.mean - x) / (x * (1 - x));
        }
        (chi <= bound ? low : high) = pull;
        if (i == 0 || chi <= bound) sum = at;
    }
    return sum;
}

}  // namespace

namespace {

Interval sum_interval(std::vector<Proportion> list, double level) {
    double value = 0, all = 0, variance = 0, denominator = 0;
    for (const Proportion& p : list) {
        const double part = p.weight * p.weight * p.mean * (1 - p.mean) / p.size;
        value += p.weight * p.mean;
        all += p.weight;
        variance += part;
        if (p.degrees > 0) denominator += part * part / p.degrees;
    }
    const double quantile =
        denominator > 0 ? student_t_quantile(0.5 + level / 2, variance * variance / denominator)
                        : normal_quantile(0.5 + level / 2);
    const double low = least_sum(list, quantile * quantile);
    for (Proportion& p : list) p.mean = 1 - p.mean;
    const double high = all - least_sum(list, quantile * quantile);
    return {std::min(value, low), std::max(value, high), level, "score.subgroups"};
}

// For an agreement whose images may all agree by chance: its variance is at least that of one miss
// in n + 2.
double least_spread(double variance, double n) {
    return std::max(variance, (n + 1) / ((n + 2) * (n + 2)));
}

}  // namespace

Interval weighted_sum_interval(std::span<const MeanAgreement> means,
                               std::span<const double> weights, double level) {
    std::vector<Proportion> list;
    for (std::size_t k = 0; k < means.size(); ++k)
        list.push_back(proportion_of(means[k], weights[k]));
    return sum_interval(std::move(list), level);
}

Interval paired_sum_interval(std::span<const PairedAgreement> pairs,
                             std::span<const double> weights, double level) {
    std::vector<Proportion> list;
    double all = 0;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        const PairedAgreement& pair = pairs[k];
        const auto n = static_cast<double>(pair.n);
        const double mean = (1 + pair.second - pair.first) / 2, spread = mean * (1 - mean);
        // The variance of (1 + difference) / 2 is a quarter of the differences' variance.
        const double apart =
            (least_spread(pair.first_variance, n) + least_spread(pair.second_variance, n)) / 4;
        const double variance = ((n - 1) * pair.variance / 4 + apart) / n;
        all += weights[k];
        list.push_back(spread > 0 ? Proportion{mean, spread * n / variance, weights[k], n}
                                  : Proportion{mean, n, weights[k], 0});
    }
    Interval interval = sum_interval(std::move(list), level);
    interval.low = 2 * interval.low - all;
    interval.high = 2 * interval.high - all;
    interval.method = "score.subgroups.paired";
    return interval;
}

Interval mean_of_terms(std::span<const Term> terms, double level, std::string_view method) {
    double mean = 0, below = 0, above = 0;
    for (const Term& term : terms) {
        mean += term.value;
        below += (term.value - term.low) * (term.value - term.low);
        above += (term.high - term.value) * (term.high - term.value);
    }
    const auto count = static_cast<double>(terms.size());
    mean /= count;
    return {mean - std::sqrt(below) / count, mean + std::sqrt(above) / count, level,
            std::string(method)};
}

}  // namespace assay
