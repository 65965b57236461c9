#include <algorithm>

#include <fmt/core.h>

#include "assay/error.h"
#include "assay/replication/estimators.h"

namespace assay::replication {
namespace {

void add(CellWeights& sum, const CellWeights& term, double factor) {
    if (sum.weight.empty()) sum.weight.assign(term.weight.size(), 0.0);
    for (std::size_t c = 0; c < term.weight.size(); ++c) sum.weight[c] += factor * term.weight[c];
    sum.covered = std::min(sum.covered, term.covered);
}

int smallest_n(const CellCounts& first, const CellCounts& second) {
    if (first.grid.size() == 0 || second.grid.size() == 0)
        throw Error(ErrorCode::bad_input, "a set has no images");
    return std::min(first.grid.min_n(), second.grid.min_n());
}

}  // namespace

double CellWeights::of(std::span<const double> correct) const {
    double sum = 0;
    for (std::size_t c = 0; c < weight.size(); ++c) sum += weight[c] * correct[c];
    return sum;
}

CellWeights naive_weights(const CellCounts& first, const CellCounts& second,
                          const Thinning& thin_first, const Thinning& thin_second, EmptyBins rule) {
    const double total = first.total();
    if (total <= 0 || second.total() <= 0) throw Error(ErrorCode::bad_input, "a set has no images");
    const std::vector<double> one = thin_first.apply(first.images),
                              two = thin_second.apply(second.images);
    std::vector<double> ratio(one.size(), 0.0);
    CellWeights result;
    result.covered = 0;
    for (std::size_t j = 0; j < one.size(); ++j) {
        if (two[j] <= 0) continue;
        ratio[j] = one[j] / total / two[j];
        result.covered += one[j] / total;
    }
    if (result.covered <= 0) {
        throw Error(
            ErrorCode::bad_input,
            "no selection frequency of set 1 occurs in set 2, so there is nothing to reweight");
    }
    const double scale = rule == EmptyBins::renormalise ? 1 / result.covered : 1;
    result.weight.assign(second.images.size(), 0.0);
    for (std::size_t c = 0; c < result.weight.size(); ++c) {
        const auto p = thin_second.row(c);
        double sum = 0;
        for (std::size_t j = 0; j < ratio.size(); ++j) sum += p[j] * ratio[j];
        result.weight[c] = scale * sum;
    }
    return result;
}

CellWeights naive_weights(const CellCounts& first, const CellCounts& second, int m,
                          EmptyBins rule) {
    if (m == 0) {  // without annotators this is the raw accuracy
        const double total = second.total();
        if (total <= 0) throw Error(ErrorCode::bad_input, "a set has no images");
        return {std::vector<double>(second.images.size(), 1 / total), 1};
    }
    return naive_weights(first, second, Thinning(first.grid, m), Thinning(second.grid, m), rule);
}

CellWeights jackknife_weights(const CellCounts& first, const CellCounts& second, int d,
                              EmptyBins rule) {
    const int n = smallest_n(first, second);
    if (d < 1 || d >= n) {
        throw Error(ErrorCode::usage,
                    fmt::format("a jackknife that omits {} of {} annotators; allowed: 1 to {}", d,
                                n, n - 1));
    }
    CellWeights result;
    add(result, naive_weights(first, second, n, rule), static_cast<double>(n) / d);
    add(result, naive_weights(first, second, n - d, rule), -static_cast<double>(n - d) / d);
    return result;
}

CellWeights extrapolated_weights(const CellCounts& first, const CellCounts& second,
                                 std::span<const int> ns, EmptyBins rule) {
    CellWeights result;
    for (const int n : ns) {
        // Lagrange's polynomial at 0 with nodes 1/n is the product of x_j / (x_j - x_i) = n_i /
        // (n_i - n_j).
        double factor = 1;
        for (const int other : ns) {
            if (other != n) factor *= static_cast<double>(n) / (n - other);
        }
        add(result, naive_weights(first, second, n, rule), factor);
    }
    return result;
}

}  // namespace assay::replication
