#include "core/statistics.h"

#include <algorithm>
#include <array>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/core.h>

#include "assay/error.h"
#include "core/random.h"

namespace assay {
namespace {

void check_level(double level) {
    if (!(level > 0 && level < 1)) {
        throw Error(ErrorCode::usage,
                    fmt::format("confidence level {} is outside (0, 1); 0.95 is usual", level));
    }
}

void check_counts(std::uint64_t hits, std::uint64_t trials) {
    if (trials == 0 || hits > trials) {
        throw Error(ErrorCode::usage,
                    fmt::format("{} hits in {} trials is not a valid proportion", hits, trials));
    }
}

double upper_quantile(double level) {
    return normal_quantile(0.5 + level / 2);
}

}  // namespace

double normal_cdf(double x) {
    return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

double normal_quantile(double p) {
    if (!(p > 0 && p < 1))
        throw Error(ErrorCode::usage,
                    fmt::format("normal quantile of {}: it must be in (0, 1)", p));
    return boost::math::quantile(boost::math::normal(), p);
}

double student_t_quantile(double p, double degrees) {
    if (!(p > 0 && p < 1) || !(degrees > 0)) {
        throw Error(ErrorCode::usage,
                    fmt::format("t quantile of {} with {} degrees of freedom", p, degrees));
    }
    return boost::math::quantile(boost::math::students_t(degrees), p);
}

double student_t_tail(double x, double degrees) {
    if (!(degrees > 0))
        throw Error(ErrorCode::usage, fmt::format("t tail with {} degrees of freedom", degrees));
    return boost::math::cdf(boost::math::complement(boost::math::students_t(degrees), x));
}

Interval wilson(std::uint64_t hits, std::uint64_t trials, double level) {
    check_counts(hits, trials);
    return wilson_of_mean(static_cast<double>(hits) / static_cast<double>(trials), trials, level);
}

Estimate wilson_proportion(std::uint64_t hits, std::uint64_t trials, double level,
                           std::string why_none) {
    Estimate out;
    out.unit = Unit::proportion;
    out.n = trials;
    if (trials == 0) {
        out.undefined = std::move(why_none);
        return out;
    }
    out.value = static_cast<double>(hits) / static_cast<double>(trials);
    out.interval = wilson(hits, trials, level);
    return out;
}

Interval wilson_of_mean(double mean, std::uint64_t count, double level) {
    check_level(level);
    if (count == 0 || !(mean >= 0 && mean <= 1))
        throw Error(ErrorCode::usage,
                    fmt::format("a mean of {} numbers in [0, 1] of {}", count, mean));
    return wilson_of_size(mean, static_cast<double>(count), upper_quantile(level), level, "wilson");
}

Interval wilson_of_size(double mean, double size, double z, double level, std::string method) {
    const double n = size;
    const double centre = (mean + z * z / (2 * n)) / (1 + z * z / n);
    const double half =
        z / (1 + z * z / n) * std::sqrt(mean * (1 - mean) / n + z * z / (4 * n * n));
    // The exact ends for means of 0 and 1 are 0 and 1. Rounding must not move them past the
    // estimate.
    const double low = mean <= 0 ? 0 : std::min(mean, std::max(0.0, centre - half));
    const double high = mean >= 1 ? 1 : std::max(mean, std::min(1.0, centre + half));
    return {low, high, level, std::move(method)};
}

Interval clopper_pearson(std::uint64_t hits, std::uint64_t trials, double level) {
    check_level(level);
    check_counts(hits, trials);
    const double x = static_cast<double>(hits), n = static_cast<double>(trials),
                 tail = (1 - level) / 2;
    const double low =
        hits == 0 ? 0 : boost::math::quantile(boost::math::beta_distribution<>(x, n - x + 1), tail);
    const double high =
        hits == trials
            ? 1
            : boost::math::quantile(boost::math::beta_distribution<>(x + 1, n - x), 1 - tail);
    return {low, high, level, "clopper_pearson"};
}

double upper_bound_of_proportion(double hits, double trials, double tail) {
    if (!(hits < trials)) return 1;
    return boost::math::quantile(boost::math::beta_distribution<>(hits + 1, trials - hits),
                                 1 - tail);
}

double zero_hits_bound(std::uint64_t trials, double level) {
    check_level(level);
    check_counts(0, trials);
    return -std::expm1(std::log1p(-level) / static_cast<double>(trials));
}

Interval symmetric_interval(double value, double standard_error, double level, std::string method,
                            double degrees) {
    check_level(level);
    const double z =
        degrees > 0 ? student_t_quantile(0.5 + level / 2, degrees) : upper_quantile(level);
    return {value - z * standard_error, value + z * standard_error, level, std::move(method)};
}

McNemar mcnemar(std::uint64_t b, std::uint64_t c) {
    McNemar test{b, c, 1, 1};
    if (b + c == 0) return test;
    const boost::math::binomial coin(static_cast<double>(b + c), 0.5);
    const double least = static_cast<double>(std::min(b, c));
    const double tail = boost::math::cdf(coin, least), point = boost::math::pdf(coin, least);
    test.p = std::min(1.0, 2 * tail);
    test.mid_p = b == c ? 1.0 - point / 2 : std::min(1.0, 2 * tail - point);
    return test;
}

PairedDifference paired_difference(std::uint64_t both, std::uint64_t b, std::uint64_t c,
                                   std::uint64_t n, double level) {
    check_level(level);
    if (n == 0 || both > n || b > n - both || c > n - both - b) {
        throw Error(ErrorCode::usage,
                    fmt::format("paired counts {} both, {} and {} one only, do not fit in {} items",
                                both, b, c, n));
    }
    const double size = static_cast<double>(n), first_only = static_cast<double>(b),
                 second_only = static_cast<double>(c);
    const double neither = static_cast<double>(n - both - b - c), joint = static_cast<double>(both);
    const double difference = (first_only - second_only) / size;
    const Interval one = wilson(both + b, n, level), two = wilson(both + c, n, level);
    const double p1 = (joint + first_only) / size, p2 = (joint + second_only) / size;
    // phi: correlation of the two outcomes, with Newcombe's continuity correction if it is
    // positive.
    const double margins = (joint + first_only) * (second_only + neither) * (joint + second_only) *
                           (first_only + neither);
    double phi = 0;
    if (margins > 0) {
        const double cross = joint * neither - first_only * second_only;
        phi = (cross > size / 2 ? cross - size / 2 : cross >= 0 ? 0 : cross) / std::sqrt(margins);
    }
    const double l1 = p1 - one.low, u1 = one.high - p1, l2 = p2 - two.low, u2 = two.high - p2;
    const double down = std::sqrt(std::max(0.0, l1 * l1 - 2 * phi * l1 * u2 + u2 * u2));
    const double up = std::sqrt(std::max(0.0, u1 * u1 - 2 * phi * u1 * l2 + l2 * l2));
    const double discordant = first_only + second_only;
    const double excess = first_only - second_only;
    return {difference,
            std::sqrt(std::max(0.0, discordant - excess * excess / size)) / size,
            {std::max(-1.0, difference - down), std::min(1.0, difference + up), level,
             "newcombe.paired"}};
}

std::vector<double> holm(std::span<const double> p) {
    std::vector<std::size_t> order(p.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t i, std::size_t j) { return p[i] < p[j]; });
    std::vector<double> adjusted(p.size());
    double running = 0;
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
        const double factor = static_cast<double>(p.size() - rank);
        running = std::max(running, std::min(1.0, factor * p[order[rank]]));
        adjusted[order[rank]] = running;
    }
    return adjusted;
}

std::vector<double> benjamini_hochberg(std::span<const double> p) {
    std::vector<std::size_t> order(p.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t i, std::size_t j) { return p[i] > p[j]; });
    std::vector<double> adjusted(p.size());
    double running = 1;
    for (std::size_t k = 0; k < order.size(); ++k) {
        const double factor = static_cast<double>(p.size()) / static_cast<double>(p.size() - k);
        running = std::min(running, factor * p[order[k]]);
        adjusted[order[k]] = running;
    }
    return adjusted;
}

double quantile_sorted(std::span<const double> sorted, double q) {
    if (sorted.empty() || !(q >= 0 && q <= 1)) {
        throw Error(ErrorCode::usage, fmt::format("quantile {} of {} values", q, sorted.size()));
    }
    const double position = q * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] +
           (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

Interval percentile_interval(std::vector<double> replicates, double level, std::string method) {
    check_level(level);
    if (replicates.size() < 2) {
        throw Error(ErrorCode::usage, fmt::format("{} bootstrap replicates; at least 2 are needed",
                                                  replicates.size()));
    }
    std::sort(replicates.begin(), replicates.end());
    const double tail = (1 - level) / 2;
    return {quantile_sorted(replicates, tail), quantile_sorted(replicates, 1 - tail), level,
            std::move(method)};
}

BootstrapWeights::BootstrapWeights(std::uint64_t seed, std::string_view purpose)
    : key_(RandomStream(seed, purpose).next_u64()) {}

std::uint32_t BootstrapWeights::operator()(std::uint64_t replicate, std::uint64_t item) const {
    const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
    const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
    const auto block = philox4x32({low(item), high(item), low(replicate), high(replicate)},
                                  {low(key_), high(key_)});
    // P(X <= k) * 2^32 for Poisson(1), rounded, to invert a 32-bit draw. P(X > 12) <
    // 2^-32.
    static constexpr std::array<std::uint32_t, 12> cumulative = {
        1580030169, 3160060337, 3950075422, 4213413783, 4279248374, 4292415292,
        4294609778, 4294923276, 4294962463, 4294966817, 4294967253, 4294967292};
    std::uint32_t weight = 0;
    for (const std::uint32_t bound : cumulative) weight += block[0] >= bound ? 1U : 0U;
    return weight;
}

double jackknife_standard_error(std::span<const double> left_out) {
    const double groups = static_cast<double>(left_out.size());
    if (left_out.size() < 2) {
        throw Error(ErrorCode::usage, fmt::format("jackknife over {} groups; at least 2 are needed",
                                                  left_out.size()));
    }
    double mean = 0, squares = 0;
    for (const double x : left_out) mean += x / groups;
    for (const double x : left_out) squares += (x - mean) * (x - mean);
    return std::sqrt((groups - 1) / groups * squares);
}

}  // namespace assay
