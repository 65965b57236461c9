#include "evaluate/gap/ordering.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/statistics.h"

namespace assay {
namespace {

std::vector<double> defined(std::span<const std::optional<double>> values) {
    std::vector<double> out;
    for (const auto& value : values) {
        if (value) out.push_back(*value);
    }
    std::sort(out.begin(), out.end());
    return out;
}

}  // namespace

std::vector<std::uint32_t> competition_ranks(std::span<const std::optional<double>> values) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i]) order.push_back(i);
    }
    std::sort(order.begin(), order.end(),
              [&](std::size_t i, std::size_t j) { return *values[i] > *values[j]; });
    std::vector<std::uint32_t> ranks(values.size(), 0);
    for (std::size_t place = 0; place < order.size(); ++place) {
        const bool tie = place > 0 && *values[order[place]] == *values[order[place - 1]];
        ranks[order[place]] = tie ? ranks[order[place - 1]] : static_cast<std::uint32_t>(place + 1);
    }
    return ranks;
}

std::vector<std::uint32_t> dense_ranks(std::span<const std::optional<double>> values) {
    std::vector<double> distinct;
    for (const auto& value : values) {
        if (value) distinct.push_back(*value);
    }
    std::ranges::sort(distinct, std::greater<>());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    std::vector<std::uint32_t> ranks;
    for (const auto& value : values) {
        const auto place = value ? std::ranges::lower_bound(distinct, *value, std::greater<>()) + 1
                                 : distinct.begin();
        ranks.push_back(static_cast<std::uint32_t>(place - distinct.begin()));
    }
    return ranks;
}

std::vector<RankPair> rank_pairs(std::vector<std::optional<double>> by,
                                 std::vector<std::optional<double>> against, bool dense) {
    for (std::size_t i = 0; i < by.size(); ++i) {
        if (!by[i] || !against[i]) by[i] = against[i] = std::nullopt;
    }
    const auto one = dense ? dense_ranks(by) : competition_ranks(by),
               two = dense ? dense_ranks(against) : competition_ranks(against);
    std::vector<RankPair> out;
    for (std::size_t i = 0; i < one.size(); ++i) out.push_back({one[i], two[i]});
    return out;
}

std::optional<BoxNumbers> box_numbers(std::span<const std::optional<double>> points) {
    const std::vector<double> sorted = defined(points);
    if (sorted.empty()) return std::nullopt;
    BoxNumbers box;
    box.lower_quartile = quantile_sorted(sorted, 0.25);
    box.median = quantile_sorted(sorted, 0.5);
    box.upper_quartile = quantile_sorted(sorted, 0.75);
    const double reach = 1.5 * (box.upper_quartile - box.lower_quartile);
    const double lowest = box.lower_quartile - reach, highest = box.upper_quartile + reach;
    // A quartile between two points may be beyond every point inside the fence: the whisker then
    // ends at the box.
    box.low_whisker =
        std::min(box.lower_quartile, *std::lower_bound(sorted.begin(), sorted.end(), lowest));
    box.high_whisker = std::max(box.upper_quartile,
                                *(std::upper_bound(sorted.begin(), sorted.end(), highest) - 1));
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (points[i] && (*points[i] < lowest || *points[i] > highest)) box.outliers.push_back(i);
    }
    return box;
}

std::optional<BetweenModels> between_models(std::span<const std::optional<double>> values) {
    const std::vector<double> sorted = defined(values);
    if (sorted.empty()) return std::nullopt;
    BetweenModels spread;
    spread.models = static_cast<std::uint32_t>(sorted.size());
    spread.min = sorted.front();
    spread.max = sorted.back();
    spread.lower_quartile = quantile_sorted(sorted, 0.25);
    spread.median = quantile_sorted(sorted, 0.5);
    spread.upper_quartile = quantile_sorted(sorted, 0.75);
    if (sorted.size() > 1) {
        const double n = static_cast<double>(sorted.size());
        const double mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / n;
        double squares = 0;
        for (const double x : sorted) squares += (x - mean) * (x - mean);
        spread.sd = std::sqrt(squares / (n - 1));
    }
    return spread;
}

}  // namespace assay
