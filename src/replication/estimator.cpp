#include "replication/estimator.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "assay/error.h"
#include "replication/enough_annotators.h"

namespace assay::replication {

std::vector<double> Correct::of(std::size_t model) const {
    std::vector<double> column(models == 0 ? 0 : by_cell.size() / models);
    for (std::size_t c = 0; c < column.size(); ++c) column[c] = by_cell[c * models + model];
    return column;
}

std::vector<double> weigh(const CellWeights& weights, const Correct& correct) {
    std::vector<double> sums(correct.models, 0.0);
    for (std::size_t c = 0; c < weights.weight.size(); ++c) {
        const double w = weights.weight[c];
        const double* row = correct.by_cell.data() + c * correct.models;
        for (std::size_t m = 0; m < sums.size(); ++m) sums[m] += w * row[m];
    }
    return sums;
}

std::vector<std::unique_ptr<Estimator>> make_estimators(const AdjustOptions& options,
                                                        const CellCounts& first,
                                                        const CellCounts& second) {
    std::vector<std::unique_ptr<Estimator>> estimators;
    const int n = usual_annotators(first, second);
    if (options.likelihood)
        estimators.push_back(make_penalised_likelihood(options.threads, options.level));
    if (options.moments) {
        const auto& wanted = options.exponents;
        const std::vector<int> exponents = wanted.empty() ? default_exponents(n) : wanted;
        if (exponents.empty())
            throw Error(ErrorCode::usage, "`moments` needs 2 annotators per image");
        estimators.push_back(make_moments(exponents, std::min(n, 2 * exponents.back())));
    }
    // The first method is quoted. It is not naive if there is another method, because naive
    // corrects too little. The mixture is quoted only with intervals from replicates.
    const bool others_first = estimators.empty();
    const bool mixture_first = others_first && (options.bootstrap > 0 || options.jackknife.empty());
    if (options.mixture && mixture_first)
        estimators.push_back(make_mixture(options, first, second));
    if (options.npmle && others_first) estimators.push_back(make_npmle());
    if (options.naive && !others_first)
        estimators.push_back(make_reweighing(first, second, n, 0, options.empty_bins));
    for (const int d : options.jackknife) {
        if (d < 1 || d >= n) {
            throw Error(ErrorCode::usage,
                        fmt::format("a jackknife that omits {} of {} annotators; allowed: 1 to {}",
                                    d, n, n - 1));
        }
        estimators.push_back(make_reweighing(first, second, n, d, options.empty_bins));
    }
    if (options.mixture && !mixture_first)
        estimators.push_back(make_mixture(options, first, second));
    if (options.npmle && !others_first) estimators.push_back(make_npmle());
    if (options.naive && others_first)
        estimators.push_back(make_reweighing(first, second, n, 0, options.empty_bins));
    if (estimators.empty()) throw Error(ErrorCode::usage, "no method was asked for");
    return estimators;
}

}  // namespace assay::replication
