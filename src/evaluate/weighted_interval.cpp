#include "evaluate/weighted_interval.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/statistics.h"
#include "metric/class_curves.h"

namespace assay::evaluate {
namespace {

/// The uncertainty of the bias of an area is about as large as the bias.
Interval weighted_area_interval(const Influenced& found, const InfluenceSpread& spread,
                                double level) {
    const FewPositives& few = *found.few;
    Interval interval =
        area_interval(found.value - few.bias, spread.error * spread.error + few.bias * few.bias / 2,
                      few.positives, std::min(spread.degrees, few.degrees), level);
    interval.high = std::max(interval.high, found.value);
    interval.method = "wilson.influence";
    return interval;
}

Interval interval_around(const MetricFacts& facts, const Influenced& found,
                         const InfluenceSpread& spread, double effective, double level) {
    if (found.own) return *found.own;
    if (found.few) return weighted_area_interval(found, spread, level);
    const double t = student_t_quantile(0.5 + level / 2, spread.degrees), value = found.value;
    if (found.interval == WeightedInterval::proportion) {
        const double size = spread.error == 0 || value <= 0 || value >= 1
                                ? effective
                                : value * (1 - value) / (spread.error * spread.error);
        return wilson_of_size(value, size, t, level, "wilson.influence");
    }
    if (found.interval == WeightedInterval::fisher && std::abs(value) < 1) {
        // Large errors with large weights are rare. So the lower end leaves room for one more image
        // like the worst.
        const double middle = std::atanh(value), scale = 1 - value * value;
        const double half = t * spread.error / scale;
        return {std::tanh(middle - half - spread.worst / scale), std::tanh(middle + half), level,
                "influence.fisher"};
    }
    Interval interval{value - t * spread.error - found.noise, value + t * spread.error, level,
                      found.noise > 0 ? "influence.t.noise" : "influence.t"};
    interval.low = std::max(facts.low, interval.low);
    if (facts.unit != Unit::nats) interval.high = std::min(facts.high, interval.high);
    return interval;
}

}  // namespace

double effective_images(std::span<const double> weights) {
    double squares = 0;
    for (const double weight : weights) squares += weight * weight;
    return squares > 0 ? 1 / squares : 0;
}

std::string why_no_interval(const Influenced& found, std::span<const double> weights) {
    const double effective = effective_images(weights);
    if (effective < fewest_effective_images)
        return fmt::format(
            "the weights leave {:.1f} effective images, and "
            "{:g} are needed",
            effective, fewest_effective_images);
    return found.no_interval;
}

InfluenceSpread influence_spread(std::span<const double> moved) {
    const auto n = static_cast<double>(moved.size());
    double sum = 0, squares = 0, worst = 0;
    for (const double x : moved) {
        worst = std::max(worst, -x);
        sum += x * x;
        squares += x * x * x * x;
    }
    if (sum == 0) return {0, n - 1, 0};
    // Satterthwaite 1946: 2 / degrees is the squared coefficient of variation of a sum of n such
    // parts.
    const double uneven = squares / (sum * sum) - 1 / n;
    return {std::sqrt((n - 1) / n * sum), uneven > 0 ? std::min(n - 1, 2 / uneven) : n - 1, worst};
}

std::vector<double> moved_without(const Influenced& found, std::span<const double> weights) {
    const std::vector<double>& influence = found.drawn.empty() ? found.influence : found.drawn;
    std::vector<double> moved;
    moved.reserve(weights.size());
    for (std::size_t i = 0; i < weights.size(); ++i)
        moved.push_back(weights[i] * influence[i] / (1 - weights[i]));
    return moved;
}

Estimate weighted_estimate(const MetricFacts& facts, const Influenced& found,
                           std::span<const double> weights, double level) {
    Estimate estimate;
    estimate.unit = facts.unit;
    estimate.n = weights.size();
    estimate.value = found.value;
    if (const std::string why = why_no_interval(found, weights); !why.empty()) {
        estimate.note = "no interval: " + why;
        return estimate;
    }
    const InfluenceSpread spread = influence_spread(moved_without(found, weights));
    estimate.standard_error = spread.error;
    if (found.noise > 0)
        estimate.note = fmt::format(
            "noise alone adds about {:.2g} with these weights, so the interval extends down by as "
            "much",
            found.noise);
    const Interval interval =
        interval_around(facts, found, spread, effective_images(weights), level);
    constexpr double rounding = 1e-12;  // a narrower interval is that of sums
    if (interval.high - interval.low > rounding * std::abs(found.value)) {
        estimate.interval = interval;
    } else {
        estimate.note = "no interval: the value is the same without any of the images";
    }
    return estimate;
}

}  // namespace assay::evaluate
