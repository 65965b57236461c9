#include "ordering.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/statistics.h"

namespace assay {
namespace {

// Pairs among `run` equal ones.
double pairs(std::size_t run) {
    return static_cast<double>(run) * static_cast<double>(run - 1) / 2;
}

// Pairs of places that hold equal values, in a sequence where equal ones stand together.
template <class Equal>
double tied_pairs(std::size_t n, Equal&& equal) {
    double tied = 0;
    for (std::size_t begin = 0, i = 1; i <= n; ++i) {
        if (i < n && equal(i - 1, i)) continue;
        tied += pairs(i - begin);
        begin = i;
    }
    return tied;
}

// Sorts and counts the exchanges of neighbours that this takes: the inversions.
double sort_counting(std::vector<double>& values, std::vector<double>& spare, std::size_t begin,
                     std::size_t end) {
    if (end - begin < 2) return 0;
    const std::size_t middle = begin + (end - begin) / 2;
    double inversions =
        sort_counting(values, spare, begin, middle) + sort_counting(values, spare, middle, end);
    std::size_t left = begin, right = middle;
    for (std::size_t k = begin; k < end; ++k) {
        if (right == end || (left < middle && values[left] <= values[right])) {
            spare[k] = values[left++];
        } else {
            inversions += static_cast<double>(middle - left);
            spare[k] = values[right++];
        }
    }
    std::copy(spare.begin() + static_cast<std::ptrdiff_t>(begin),
              spare.begin() + static_cast<std::ptrdiff_t>(end),
              values.begin() + static_cast<std::ptrdiff_t>(begin));
    return inversions;
}

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

std::vector<double> average_ranks(std::span<const double> values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t i, std::size_t j) { return values[i] > values[j]; });
    std::vector<double> ranks(values.size());
    for (std::size_t begin = 0; begin < order.size();) {
        std::size_t end = begin + 1;
        while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
        const double mean = (static_cast<double>(begin + 1) + static_cast<double>(end)) / 2;
        for (; begin < end; ++begin) ranks[order[begin]] = mean;
    }
    return ranks;
}

std::optional<double> kendall_tau_b(std::span<const double> x, std::span<const double> y) {
    const std::size_t n = x.size();
    if (n < 2) return std::nullopt;
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
        return x[i] != x[j] ? x[i] < x[j] : y[i] < y[j];
    });
    const double tied_x =
        tied_pairs(n, [&](std::size_t i, std::size_t j) { return x[order[i]] == x[order[j]]; });
    const double tied_both = tied_pairs(n, [&](std::size_t i, std::size_t j) {
        return x[order[i]] == x[order[j]] && y[order[i]] == y[order[j]];
    });
    std::vector<double> sorted(n), spare(n);
    for (std::size_t i = 0; i < n; ++i) sorted[i] = y[order[i]];
    const double discordant = sort_counting(sorted, spare, 0, n);
    const double tied_y =
        tied_pairs(n, [&](std::size_t i, std::size_t j) { return sorted[i] == sorted[j]; });
    const double all = pairs(n), under = (all - tied_x) * (all - tied_y);
    if (under <= 0) return std::nullopt;
    return (all - tied_x - tied_y + tied_both - 2 * discordant) / std::sqrt(under);
}

std::optional<double> spearman_rho(std::span<const double> x, std::span<const double> y) {
    const std::size_t n = x.size();
    if (n < 2) return std::nullopt;
    const std::vector<double> a = average_ranks(x), b = average_ranks(y);
    const double mean = (static_cast<double>(n) + 1) / 2;
    double xx = 0, yy = 0, xy = 0;
    for (std::size_t i = 0; i < n; ++i) {
        xx += (a[i] - mean) * (a[i] - mean);
        yy += (b[i] - mean) * (b[i] - mean);
        xy += (a[i] - mean) * (b[i] - mean);
    }
    if (xx <= 0 || yy <= 0) return std::nullopt;
    return std::clamp(xy / std::sqrt(xx * yy), -1.0, 1.0);
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
    // A quartile between two points may lie beyond every point inside the fence: the whisker then
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
