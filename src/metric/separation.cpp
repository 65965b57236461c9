#include "metric/separation.h"

#include <algorithm>
#include <cmath>

#include "core/statistics.h"
#include "metric/class_curves.h"

namespace assay {
namespace {

using Sorted = std::vector<double>;  // ascending

// For each number of `sample`, the proportion of `others` below it; ties count half. Also their
// mean, and the mean's variance.
struct Component {
    double mean = 0, variance = 0;
};

Component component(const Sorted& sample, const Sorted& others) {
    const auto n = static_cast<double>(sample.size()), m = static_cast<double>(others.size());
    std::vector<double> parts;
    auto low = others.begin(), high = others.begin();
    double sum = 0;
    for (const double x : sample) {
        while (low != others.end() && *low < x) ++low;
        while (high != others.end() && *high <= x) ++high;
        // whole and half numbers, which are exact
        parts.push_back(static_cast<double>((low - others.begin()) + (high - others.begin())) / 2);
        sum += parts.back();
    }
    Component result{sum / (n * m), 0};
    if (sample.size() < 2) return result;
    for (const double part : parts)
        result.variance += (part / m - result.mean) * (part / m - result.mean);
    result.variance /= (n - 1) * n;
    return result;
}

double reaching(const Sorted& sample, double threshold) {
    return static_cast<double>(sample.end() -
                               std::lower_bound(sample.begin(), sample.end(), threshold)) /
           static_cast<double>(sample.size());
}

Estimate auroc_of(const Sorted& first, const Sorted& second, double level) {
    Estimate value;
    const Component one = component(first, second), two = component(second, first);
    const auto n = static_cast<double>(first.size()), m = static_cast<double>(second.size());
    value.value = one.mean;
    const double variance = one.variance + two.variance;
    if (first.size() < 2 || second.size() < 2) {
        value.note = "no interval from a single item";
        return value;
    }
    value.standard_error = std::sqrt(variance);
    const double squares =
        one.variance * one.variance / (n - 1) + two.variance * two.variance / (m - 1);
    value.interval = area_interval(one.mean, variance, std::min(n, m),
                                   squares > 0 ? variance * variance / squares : 0, level);
    value.interval->method = "delong.wilson";
    return value;
}

Estimate false_positives_of(const Sorted& first, const Sorted& second, double level) {
    Estimate value;
    const auto n = static_cast<double>(first.size());
    // The k-th greatest of the first sample; the small constant corrects the rounding of 95 % of a
    // whole number.
    const double k = std::max(1.0, std::ceil(0.95 * n - 1e-9));
    const auto at = [&](double rank) {
        const double place = n - std::clamp(rank, 1.0, n);
        return reaching(second, first[static_cast<std::size_t>(place)]);
    };
    const double rate = at(k);
    value.value = rate;
    const double half = normal_quantile(0.5 + level / 2) * std::sqrt(n * 0.95 * 0.05);
    const double low = at(std::floor(k - half)), high = at(std::ceil(k + half));
    const auto [from, to] =
        std::equal_range(first.begin(), first.end(), first[static_cast<std::size_t>(n - k)]);
    if (to - from > 1) {
        // The threshold jumps between steps: the effect of this and the second sample's noise add
        // up.
        value.interval =
            Interval{wilson_of_mean(low, second.size(), level).low,
                     wilson_of_mean(high, second.size(), level).high, level, "wilson.threshold"};
        return value;
    }
    const Interval own = wilson_of_mean(rate, second.size(), level);
    value.interval = Interval{std::max(0.0, rate - std::hypot(rate - own.low, rate - low)),
                              std::min(1.0, rate + std::hypot(own.high - rate, high - rate)), level,
                              "mover.threshold"};
    return value;
}

}  // namespace

Separation separation(std::vector<double> first, std::vector<double> second, double level) {
    Separation result;
    const std::uint64_t n = first.size() + second.size();
    if (first.empty() || second.empty()) {
        result.auroc.undefined = first.empty() ? "no item of the first data set has scores"
                                               : "no item of the second data set has scores";
        result.auroc.n = n;
        result.false_positives = result.auroc;
    } else {
        std::sort(first.begin(), first.end());
        std::sort(second.begin(), second.end());
        result.auroc = auroc_of(first, second, level);
        result.false_positives = false_positives_of(first, second, level);
    }
    for (Estimate* one : {&result.auroc, &result.false_positives}) {
        one->unit = Unit::proportion;
        one->n = n;
    }
    return result;
}

}  // namespace assay
