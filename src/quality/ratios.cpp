#include "quality/ratios.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/statistics.h"

namespace assay::quality {
namespace {

double square_of(double x) {
    return x * x;
}

/// The largest plausible geometric mean of the proportions if one of them is 0.
double upper_ratio(std::span<const Hits> sets, Hits clean, double level) {
    double bound = 0;
    for (const Hits set : sets) {
        bound += std::log(set.hits == 0 ? zero_hits_bound(set.n, level)
                                        : wilson(set.hits, set.n, level).high);
    }
    return std::exp(bound / static_cast<double>(sets.size())) /
           wilson(clean.hits, clean.n, level).low;
}

/// Single pairs get the hybrid score interval, which has a width even if few pairs differ.
/// Otherwise the interval is Student's t over the foregrounds.
Interval focus_interval(std::span<const ForegroundHits> foregrounds, const Focus& focus,
                        double level) {
    std::uint64_t both = 0, only_same = 0, only_rand = 0;
    bool pairs = true;
    for (const ForegroundHits& f : foregrounds) {
        pairs = pairs && f.same.n == 1 && f.rand.n == 1;
        both += f.same.hits > 0 && f.rand.hits > 0 ? 1 : 0;
        only_same += f.same.hits > 0 && f.rand.hits == 0 ? 1 : 0;
        only_rand += f.same.hits == 0 && f.rand.hits > 0 ? 1 : 0;
    }
    if (pairs) {
        const Interval gap =
            paired_difference(both, only_same, only_rand, foregrounds.size(), level).interval;
        return {1 - gap.high, 1 - gap.low, level, "newcombe.paired"};
    }
    const double degrees = std::max(1.0, static_cast<double>(foregrounds.size()) - 1);
    Interval interval = symmetric_interval(*focus.value.value, std::sqrt(focus.variance), level,
                                           "clusters.foreground", degrees);
    interval.low = std::max(0.0, interval.low);
    interval.high = std::min(2.0, interval.high);
    return interval;
}

}  // namespace

double proportion_variance(Hits hits, double level) {
    if (hits.hits == 0 || hits.hits == hits.n) return none_or_all_variance(hits.n, level);
    return hits.rate() * (1 - hits.rate()) / static_cast<double>(hits.n);
}

double log_variance(Hits hits, double level) {
    return proportion_variance(hits, level) / square_of(hits.rate());
}

bool set_corruption_error(Estimate& ratio, double clean_accuracy, double level) {
    if (*ratio.value == 0) {
        take_zero_bound(ratio, zero_hits_bound(ratio.n, level) / clean_accuracy, level);
        return false;
    }
    if (!ratio.standard_error) {
        ratio.standard_error = std::sqrt(proportion_variance({ratio.n, ratio.n}, level));
        return false;
    }
    if (*ratio.value < 1) {
        const double t = student_t_quantile(.5 + level / 2, static_cast<double>(ratio.n - 1));
        ratio.interval = wilson_of_variance(*ratio.value, square_of(*ratio.standard_error), t,
                                            level, "wilson.images");
    }
    return true;
}

Estimate geometric_ratio(std::span<const Hits> sets, Hits clean, double level) {
    Estimate out;
    out.n = clean.n;
    for (const Hits set : sets) out.n += set.n;
    if (std::ranges::any_of(sets, [](Hits set) { return set.hits == 0; })) {
        take_zero_bound(out, upper_ratio(sets, clean, level), level);
        return out;
    }
    const auto count = static_cast<double>(sets.size());
    double centre = 0, below = 0, above = 0, variance = 0;
    const auto add = [&](Hits hits, double weight) {
        const Interval interval = wilson(hits.hits, hits.n, level);
        const double own = std::log(hits.rate());
        const double down = square_of(weight * (own - std::log(interval.low)));
        const double up = square_of(weight * (std::log(interval.high) - own));
        centre += weight * own;
        below += weight > 0 ? down : up;
        above += weight > 0 ? up : down;
        variance += square_of(weight) * log_variance(hits, level);
    };
    for (const Hits set : sets) add(set, 1 / count);
    add(clean, -1);
    out.value = std::exp(centre);
    out.standard_error = *out.value * std::sqrt(variance);
    out.interval = Interval{std::exp(centre - std::sqrt(below)),
                            std::exp(centre + std::sqrt(above)), level, "mover.wilson"};
    return out;
}

Focus focus_of(std::span<const ForegroundHits> foregrounds, double level) {
    Hits same, rand;
    for (const ForegroundHits& f : foregrounds) {
        same.hits += f.same.hits;
        same.n += f.same.n;
        rand.hits += f.rand.hits;
        rand.n += f.rand.n;
    }
    Focus out;
    out.value.n = same.n;
    out.value.value = 1 - (same.rate() - rand.rate());
    const auto count = static_cast<double>(foregrounds.size());
    bool agree = true;
    double squares = 0;
    const auto excess = [](Hits own, Hits all) {
        return (static_cast<double>(own.hits) - all.rate() * static_cast<double>(own.n)) /
               static_cast<double>(all.n);
    };
    for (const ForegroundHits& f : foregrounds) {
        const double influence = excess(f.rand, rand) - excess(f.same, same);
        out.influence.push_back(influence);
        squares += square_of(influence);
        agree = agree && std::abs(influence) < 1e-15;
    }
    if (agree || foregrounds.size() < 2) {
        out.influence.clear();
        out.variance = proportion_variance({0, foregrounds.size()}, level);
        out.value.note = "all foregrounds agree, so the error is an upper bound";
    } else {
        out.variance = squares * count / (count - 1);
    }
    out.value.standard_error = std::sqrt(out.variance);
    out.value.interval = focus_interval(foregrounds, out, level);
    return out;
}

}  // namespace assay::quality
