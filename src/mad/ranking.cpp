#include "assay/mad/ranking.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "assay/error.h"
#include "core/refuse.h"
#include "mad/definite.h"

namespace assay::mad {
namespace {

void check_pairs(std::size_t classifiers, std::span<const PairCounts> pairs,
                 const RatioOptions& options) {
    if (!(options.alpha >= 0) || !std::isfinite(options.alpha))
        throw Error(ErrorCode::usage,
                    fmt::format("alpha is {}; allowed: 0 or more", options.alpha));
    std::vector<bool> there(classifiers * classifiers, false);
    for (const PairCounts& pair : pairs) {
        if (pair.first >= pair.second || pair.second >= classifiers)
            throw Error(ErrorCode::usage, fmt::format("no pair of {} classifiers: {} and {}",
                                                      classifiers, pair.first, pair.second));
        if (there[pair.first * classifiers + pair.second])
            throw Error(ErrorCode::usage,
                        fmt::format("the pair {} and {} appears twice", pair.first, pair.second));
        there[pair.first * classifiers + pair.second] = true;
    }
}

/// Numbers the components that are connected by pairs with a weight.
void find_components(const PairMatrix& weights, HodgeRanking& out) {
    const std::size_t m = weights.classifiers();
    out.component.assign(m, static_cast<std::uint32_t>(m));
    for (std::size_t start = 0; start < m; ++start) {
        if (out.component[start] != m) continue;
        std::vector<std::size_t> open{start};
        out.component[start] = out.components;
        while (!open.empty()) {
            const std::size_t i = open.back();
            open.pop_back();
            for (std::size_t j = 0; j < m; ++j) {
                if (out.component[j] != m || !(weights.at(std::min(i, j), std::max(i, j)) > 0))
                    continue;
                out.component[j] = out.components;
                open.push_back(j);
            }
        }
        ++out.components;
    }
}

/// Scores of the classifiers in one component: the least squares solution with mean 0. The matrix
/// of its equations, the graph's Laplacian, is singular for a constant. A constant added to all its
/// entries makes the mean 0.
void solve_component(const std::vector<std::size_t>& members, const PairMatrix& log_ratios,
                     const PairMatrix& weights, std::vector<double>& scores) {
    const std::size_t n = members.size();
    if (n == 1) return;
    double scale = 0;
    std::vector<double> laplacian(n * n, 0.0), flow(n, 0.0);
    for (std::size_t a = 0; a < n; ++a) {
        for (std::size_t b = a + 1; b < n; ++b) {
            const std::size_t i = std::min(members[a], members[b]),
                              j = std::max(members[a], members[b]);
            const double w = weights.at(i, j);
            if (!(w > 0)) continue;
            laplacian[a * n + a] += w;
            laplacian[b * n + b] += w;
            laplacian[a * n + b] = laplacian[b * n + a] = -w;
            flow[a] += w * log_ratios.at(members[a], members[b]);
            flow[b] += w * log_ratios.at(members[b], members[a]);
            scale = std::max(scale, w);
        }
    }
    for (double& entry : laplacian) entry += scale;
    DefiniteFactor(std::move(laplacian), n).solve(flow);
    for (std::size_t a = 0; a < n; ++a) scores[members[a]] = flow[a];
}

}  // namespace

PairMatrix aggressiveness(std::size_t classifiers, std::span<const PairCounts> pairs,
                          const RatioOptions& options) {
    check_pairs(classifiers, pairs, options);
    PairMatrix a(classifiers);
    for (const PairCounts& pair : pairs) {
        const double n = static_cast<double>(pair.n()) + 2 * options.alpha;
        if (n == 0) continue;
        a.at(pair.first, pair.second) =
            (static_cast<double>(pair.first_correct()) + options.alpha) / n;
        a.at(pair.second, pair.first) =
            (static_cast<double>(pair.second_correct()) + options.alpha) / n;
    }
    return a;
}

PairMatrix log_ratios(std::size_t classifiers, std::span<const PairCounts> pairs,
                      const RatioOptions& options) {
    check_pairs(classifiers, pairs, options);
    PairMatrix l(classifiers);
    for (const PairCounts& pair : pairs) {
        if (pair.n() == 0) continue;
        const double first = static_cast<double>(pair.first_correct()) + options.alpha;
        const double second = static_cast<double>(pair.second_correct()) + options.alpha;
        if (first == 0 || second == 0) {
            refuse(fmt::format(
                "classifier {} is correct on none of the {} images of the pair {} and {}, which "
                "needs smoothing (alpha is 0)",
                first == 0 ? pair.first : pair.second, pair.n(), pair.first, pair.second));
        }
        const double value = std::log(first) - std::log(second);
        l.at(pair.first, pair.second) = value;
        l.at(pair.second, pair.first) = -value;
    }
    return l;
}

PerronRanking perron(const PairMatrix& log_ratios) {
    const std::size_t m = log_ratios.classifiers();
    PerronRanking out;
    if (m == 0) return out;
    out.scores.assign(m, 1.0 / static_cast<double>(m));
    std::vector<double> ratios(m * m), next(m);
    for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < m; ++j)
            ratios[i * m + j] = i == j ? 1 : std::exp(log_ratios.at(i, j));
    }
    constexpr std::uint32_t most_iterations = 100'000;
    while (out.iterations < most_iterations) {
        ++out.iterations;
        double low = HUGE_VAL, high = 0, sum = 0;
        for (std::size_t i = 0; i < m; ++i) {
            double y = 0;
            for (std::size_t j = 0; j < m; ++j) y += ratios[i * m + j] * out.scores[j];
            next[i] = y;
            sum += y;
            low = std::min(low, y / out.scores[i]);
            high = std::max(high, y / out.scores[i]);
        }
        for (std::size_t i = 0; i < m; ++i) out.scores[i] = next[i] / sum;
        out.eigenvalue = (low + high) / 2;
        if (high / low - 1 < 1e-13) break;
        if (out.iterations == most_iterations)
            refuse("the ratios are too large for Perron's vector; smooth them more (alpha)");
    }
    if (m > 1) {
        const auto classifiers = static_cast<double>(m);
        out.consistency_index = std::max(0.0, (out.eigenvalue - classifiers) / (classifiers - 1));
    }
    return out;
}

HodgeRanking hodge_rank(const PairMatrix& log_ratios, const PairMatrix& weights) {
    const std::size_t m = log_ratios.classifiers();
    if (weights.classifiers() != m)
        throw Error(ErrorCode::usage,
                    fmt::format("weights of {} classifiers for {}", weights.classifiers(), m));
    HodgeRanking out;
    out.scores.assign(m, 0.0);
    find_components(weights, out);
    for (std::uint32_t c = 0; c < out.components; ++c) {
        std::vector<std::size_t> members;
        for (std::size_t i = 0; i < m; ++i) {
            if (out.component[i] == c) members.push_back(i);
        }
        solve_component(members, log_ratios, weights, out.scores);
    }
    double all = 0;
    for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = i + 1; j < m; ++j) {
            const double w = weights.at(i, j), l = log_ratios.at(i, j);
            const double left = out.scores[i] - out.scores[j] - l;
            if (!(w > 0)) continue;
            out.residual += w * left * left;
            all += w * l * l;
        }
    }
    out.cyclicity = all > 0 ? out.residual / all : 0;
    return out;
}

std::vector<double> places_of(std::span<const double> scores) {
    std::vector<std::size_t> order(scores.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
    double largest = 0;
    for (const double s : scores) largest = std::max(largest, std::abs(s));
    std::vector<double> places(scores.size());
    for (std::size_t begin = 0; begin < order.size();) {
        std::size_t end = begin + 1;
        while (end < order.size() && scores[order[end - 1]] - scores[order[end]] <= 1e-12 * largest)
            ++end;
        for (std::size_t at = begin; at < end; ++at)
            places[order[at]] = static_cast<double>(begin + 1 + end) / 2;
        begin = end;
    }
    return places;
}

}  // namespace assay::mad
