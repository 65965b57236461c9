#include "decisions/rates.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "core/statistics.h"

namespace assay::decisions {
namespace {

/// A proportion, and the ends and the middle of Clopper and Pearson's interval. With Wilson's
/// interval, combinations of two rates near 0 or 1 are right in 92 of 100 cases.
struct Rate {
    double value, low, high, middle;
};
Rate rate_of(std::uint64_t hits, std::uint64_t n, double level) {
    const Interval interval = clopper_pearson(hits, n, level);
    return {static_cast<double>(hits) / static_cast<double>(n), interval.low, interval.high,
            (interval.low + interval.high) / 2};
}

/// Returns odds * hit / miss as a proportion, for independent rates `hit` and `miss`.
Estimate predictive(const Rate& hit, const Rate& miss, double odds, double level) {
    Estimate out;
    out.unit = Unit::proportion;
    const auto proportion = [&](double log_ratio) {
        const double ratio = odds * std::exp(log_ratio);
        return std::isinf(ratio) ? 1.0 : ratio / (1 + ratio);
    };
    const double both = odds * hit.value + miss.value;
    out.value = odds * hit.value / both;
    const double center = std::log(hit.middle) - std::log(miss.middle);
    const double below = std::hypot(std::log(hit.middle) - std::log(hit.low),
                                    std::log(miss.high) - std::log(miss.middle));
    const double above = std::hypot(std::log(hit.high) - std::log(hit.middle),
                                    std::log(miss.middle) - std::log(miss.low));
    out.interval = Interval{std::min(*out.value, proportion(center - below)),
                            std::max(*out.value, proportion(center + above)), level, "mover.log"};
    return out;
}

}  // namespace

double threshold_for_costs(std::vector<ScoredImage> images, double false_positive,
                           double false_negative, double prevalence) {
    std::ranges::sort(images, std::greater<>(), &ScoredImage::score);
    const auto positives =
        static_cast<double>(std::ranges::count(images, true, &ScoredImage::positive));
    const double negatives = static_cast<double>(images.size()) - positives;
    // No image is called positive above the largest score.
    double best = std::nextafter(images.front().score, std::numeric_limits<double>::infinity());
    double least = false_negative * prevalence, hits = 0, alarms = 0;
    for (std::size_t i = 0; i < images.size(); ++i) {
        (images[i].positive ? hits : alarms) += 1;
        if (i + 1 < images.size() && images[i + 1].score == images[i].score) continue;
        const double cost = false_negative * prevalence * (1 - hits / positives) +
                            false_positive * (1 - prevalence) * alarms / negatives;
        if (cost < least) {
            least = cost;
            best = images[i].score;
        }
    }
    return best;
}

Estimate combined_rates(const Outcomes& outcomes, double first, double second, double constant,
                        double level) {
    const Rate hit = rate_of(outcomes.true_positives, outcomes.positives, level);
    const Rate alarm =
        rate_of(outcomes.negatives - outcomes.true_negatives, outcomes.negatives, level);
    Estimate out;
    out.n = outcomes.positives + outcomes.negatives;
    out.value = constant + first * hit.value + second * alarm.value;
    double below = 0, above = 0;
    for (const auto& [weight, rate] : {std::pair(first, hit), std::pair(second, alarm)}) {
        const double low = weight * (rate.value - rate.low),
                     high = weight * (rate.high - rate.value);
        below += weight >= 0 ? low * low : high * high;
        above += weight >= 0 ? high * high : low * low;
    }
    out.interval =
        Interval{*out.value - std::sqrt(below), *out.value + std::sqrt(above), level, "mover"};
    return out;
}

Estimate positive_predictive_value(const Outcomes& outcomes, double prevalence, double level) {
    const std::uint64_t alarms = outcomes.negatives - outcomes.true_negatives;
    Estimate out;
    out.unit = Unit::proportion;
    out.undefined = "no image is called positive";
    if (outcomes.true_positives + alarms > 0)
        out = predictive(rate_of(outcomes.true_positives, outcomes.positives, level),
                         rate_of(alarms, outcomes.negatives, level), prevalence / (1 - prevalence),
                         level);
    out.n = outcomes.true_positives + alarms;
    return out;
}

Estimate negative_predictive_value(const Outcomes& outcomes, double prevalence, double level) {
    const std::uint64_t missed = outcomes.positives - outcomes.true_positives;
    Estimate out;
    out.unit = Unit::proportion;
    out.undefined = "no image is called negative";
    if (outcomes.true_negatives + missed > 0)
        out = predictive(rate_of(outcomes.true_negatives, outcomes.negatives, level),
                         rate_of(missed, outcomes.positives, level), (1 - prevalence) / prevalence,
                         level);
    out.n = outcomes.true_negatives + missed;
    return out;
}

}  // namespace assay::decisions
