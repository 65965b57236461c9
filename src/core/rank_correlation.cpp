#include "core/rank_correlation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace assay {
namespace {

// The number of pairs among `run` equal values.
double pairs_among(std::size_t run) {
    return static_cast<double>(run) * static_cast<double>(run - 1) / 2;
}

// The number of pairs of equal values, in a sequence whose equal values are adjacent.
template <class Equal>
double tied_pairs(std::size_t n, Equal&& equal) {
    double tied = 0;
    for (std::size_t begin = 0, i = 1; i <= n; ++i) {
        if (i < n && equal(i - 1, i)) continue;
        tied += pairs_among(i - begin);
        begin = i;
    }
    return tied;
}

// Sorts and counts the swaps of neighbors that this takes, which are the inversions.
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

}  // namespace

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
    const double all = pairs_among(n), under = (all - tied_x) * (all - tied_y);
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

}  // namespace assay
