#include "metric/temperature.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/softmax.h"
#include "core/statistics.h"
#include "metric/families.h"
#include "metric/real_sum.h"

namespace assay {
namespace {

constexpr std::size_t temperature_lanes = 8;

// Sums of e, e d and e d d, where e = exp(beta * d) and d = z - max: eight running sums, combined
// in a fixed order.
struct Moments {
    double sum = 0, first = 0, second = 0;
    float max = 0;
};

Moments moments_of(std::span<const float> logits, double beta) {
    thread_local std::vector<float> distance, power;
    Moments m;
    m.max = *std::max_element(logits.begin(), logits.end());
    const std::size_t n =
        (logits.size() + temperature_lanes - 1) / temperature_lanes * temperature_lanes;
    distance.assign(n, 0.0F);
    power.resize(n);
    const auto factor = static_cast<float>(beta);
    constexpr float far = -1e30F;  // used for classes of probability 0: exp() of it is 0, and so is
                                   // 0 * d
    for (std::size_t c = 0; c < logits.size(); ++c) distance[c] = std::max(logits[c] - m.max, far);
    for (std::size_t c = 0; c < n; ++c) power[c] = std::max(distance[c] * factor, far);
    exp_row(std::span(power).first(logits.size()), 0, 1, power.data());
    std::fill(power.begin() + static_cast<std::ptrdiff_t>(logits.size()), power.end(), 0.0F);
    std::array<double, temperature_lanes> sum{}, first{}, second{};
    for (std::size_t c = 0; c < n; c += temperature_lanes) {
        for (std::size_t l = 0; l < temperature_lanes; ++l) {
            const auto e = static_cast<double>(power[c + l]),
                       d = static_cast<double>(distance[c + l]);
            sum[l] += e;
            first[l] += e * d;
            second[l] += e * d * d;
        }
    }
    for (std::size_t l = 0; l < temperature_lanes; ++l) {
        m.sum += sum[l];
        m.first += first[l];
        m.second += second[l];
    }
    return m;
}

// Real sums accept numbers up to 2^20; items this far off at a temperature still have the right
// sign.
double bounded(double x) {
    return std::clamp(x, -0x1p19, 0x1p19);
}

struct ScaledHalf {
    std::vector<double> confidence, hits;  // by bin
    double items = 0;
    explicit ScaledHalf(std::size_t bins) : confidence(bins), hits(bins) {}
    double error() const {
        double sum = 0;
        for (std::size_t b = 0; b < hits.size(); ++b) sum += std::abs(confidence[b] - hits[b]);
        return items > 0 ? sum / items : 0;
    }
};

std::size_t bin_of(std::span<const float> bounds, float confidence) {
    return static_cast<std::size_t>(std::upper_bound(bounds.begin(), bounds.end(), confidence) -
                                    bounds.begin());
}

}  // namespace

LossSlope loss_slope(std::span<const float> logits, std::int32_t target, double beta) {
    const Moments m = moments_of(logits, beta);
    const double mean = m.first / m.sum;
    const double own = static_cast<double>(logits[static_cast<std::size_t>(target)] - m.max);
    const double first = beta * (mean - own);
    const double variance = std::max(0.0, m.second / m.sum - mean * mean);
    return {bounded(first), bounded(beta * beta * variance + first)};
}

ScaledConfidence scaled_confidence(std::span<const float> logits, double beta) {
    const Moments m = moments_of(logits, beta);
    const double confidence = 1 / m.sum;
    return {static_cast<float>(confidence),
            static_cast<float>(-beta * confidence * m.first / m.sum)};
}

LossSums::LossSums() : first(std::size_t{group_count} * real_slots), second(first.size()) {}

void LossSums::add(std::size_t group, LossSlope slope) {
    add_real(first.data() + group * real_slots, slope.first);
    add_real(second.data() + group * real_slots, slope.second);
}

double LossSums::total_first() const {
    double sum = 0;
    for (std::size_t g = 0; g < group_count; ++g) sum += real_of(first.data() + g * real_slots);
    return sum;
}
double LossSums::total_second() const {
    double sum = 0;
    for (std::size_t g = 0; g < group_count; ++g) sum += real_of(second.data() + g * real_slots);
    return sum;
}

bool TemperatureFit::at_limit() const {
    return beta_ < 1.001 / most || beta_ > 0.999 / least;
}

void TemperatureFit::step(const LossSums& sums) {
    const double first = sums.total_first(), second = sums.total_second();
    (first > 0 ? high_ : low_) = beta_;
    double next = std::sqrt(low_ * high_);
    if (second > 0) {
        const double newton = beta_ * std::exp(std::clamp(-first / second, -2.0, 2.0));
        if (newton > low_ && newton < high_) next = newton;
    }
    done_ = ++steps_ >= 60 || first == 0 || std::abs(next / beta_ - 1) < 1e-6;
    // The sums are for the current value, so the last step is not made.
    if (!done_) beta_ = next;
}

ResampledEstimate scaled_ece(std::span<const ScaledItem> items, const std::array<LossSums, 2>& sums,
                             const Parameters& parameters, double level) {
    const std::vector<float> bounds =
        families::bin_bounds(std::stoi(parameters.at("bins")), parameters.at("edges"));
    const std::size_t bins = bounds.size() + 1;
    const std::array<double, 2> curvature{sums[0].total_second(), sums[1].total_second()};
    // The sums without group `out`. group_count means all groups.
    const auto halves_without = [&](std::size_t out) {
        std::array<ScaledHalf, 2> halves{ScaledHalf(bins), ScaledHalf(bins)};
        std::array<double, 2> shift{};  // shift of b by the half on which it was fitted
        for (std::size_t h = 0; h < 2 && out < group_count; ++h) {
            const double rest = curvature[h] - real_of(sums[h].second.data() + out * real_slots);
            if (rest > 0) shift[h] = real_of(sums[h].first.data() + out * real_slots) / rest;
        }
        for (const ScaledItem& item : items) {
            if (item.group == out) continue;
            const float p =
                std::clamp(item.scaled.confidence +
                               item.scaled.slope * static_cast<float>(shift[1U - item.half]),
                           0.0F, 1.0F);
            const std::size_t b = bin_of(bounds, p);
            ScaledHalf& half = halves[item.half];
            half.items += 1;
            half.confidence[b] += static_cast<double>(p);
            half.hits[b] += item.correct ? 1 : 0;
        }
        return halves;
    };
    ResampledEstimate result;
    result.n = items.size();
    const std::array<ScaledHalf, 2> halves = halves_without(group_count);
    if (halves[0].items == 0 || halves[1].items == 0) {
        result.undefined = "one of the two halves has no item with a label";
        return result;
    }
    result.value = (halves[0].error() + halves[1].error()) / 2;
    std::vector<bool> there(group_count);
    for (const ScaledItem& item : items) there[item.group] = true;
    for (std::size_t g = 0; g < group_count; ++g) {
        if (!there[g]) continue;
        const auto rest = halves_without(g);
        result.without.push_back((rest[0].error() + rest[1].error()) / 2);
    }
    double noise = 0;
    for (const ScaledHalf& half : halves) {
        for (std::size_t b = 0; b < bins; ++b) {
            const double low = b == 0 ? 0 : std::min(1.0F, bounds[b - 1]);
            noise += std::sqrt(2 / 3.14159265358979323846 *
                               families::most_variance(low, half.confidence[b], half.hits[b])) /
                     half.items / 2;
        }
    }
    families::add_noisy_interval(result, noise, level);
    return result;
}

}  // namespace assay
