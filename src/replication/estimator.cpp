#include "replication/estimator.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "assay/error.h"
#include "replication/enough_annotators.h"

namespace assay::replication {
namespace {

/// Naive at a number of annotators, or the jackknife that leaves out d of them; the thinning tables
/// are made once.
class Reweighing final : public Estimator {
public:
    /// `n`: images with fewer annotators are left out, others are thinned to it.
    Reweighing(const CellCounts& first, const CellCounts& second, int n, int d, EmptyBins rule)
        : n_(n),
          d_(d),
          rule_(rule),
          full_first_(with_annotators(first, n).grid, n_),
          full_second_(with_annotators(second, n).grid, n_),
          less_first_(with_annotators(first, n).grid, n_ - d),
          less_second_(with_annotators(second, n).grid, n_ - d) {}

    std::string id() const override { return d_ == 0 ? "naive" : fmt::format("jackknife{}", d_); }
    std::string definition() const override {
        const char* bins = rule_ == EmptyBins::renormalise ? "renormalised" : "empty_bins_zero";
        return d_ == 0 ? fmt::format("adjusted.naive.n{}.{}", n_, bins)
                       : fmt::format("adjusted.jackknife.delete{}.n{}.{}", d_, n_, bins);
    }
    std::vector<double> estimate(const CellCounts& first, const CellCounts& second,
                                 const Correct& correct, MethodResult* result,
                                 CellEffects* /*effects*/) const override {
        const EnoughAnnotators part(first, second, correct, n_);
        const CellWeights w = weights(part.first, part.second);
        if (result != nullptr) {
            result->weights = part.spread_second(w.weight);
            result->covered = w.covered;
            if (const std::string note = part.note(); !note.empty()) result->notes.push_back(note);
        }
        return weigh(w, part.correct);
    }

private:
    CellWeights weights(const CellCounts& first, const CellCounts& second) const {
        CellWeights full = naive_weights(first, second, full_first_, full_second_, rule_);
        if (d_ == 0) return full;
        const CellWeights less = naive_weights(first, second, less_first_, less_second_, rule_);
        const double n = n_, d = d_;
        for (std::size_t c = 0; c < full.weight.size(); ++c) {
            full.weight[c] = (n * full.weight[c] - (n - d) * less.weight[c]) / d;
        }
        full.covered = std::min(full.covered, less.covered);
        return full;
    }

    int n_, d_;
    EmptyBins rule_;
    Thinning full_first_, full_second_, less_first_, less_second_;
};

}  // namespace

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
    if (options.likelihood) estimators.push_back(make_penalised_likelihood(options.threads));
    if (options.moments) {
        const auto& wanted = options.exponents;
        const std::vector<int> exponents = wanted.empty() ? default_exponents(n) : wanted;
        if (exponents.empty()) throw Error(ErrorCode::usage, "moments need 2 annotators an image");
        estimators.push_back(make_moments(exponents, std::min(n, 2 * exponents.back())));
    }
    if (options.naive)
        estimators.push_back(std::make_unique<Reweighing>(first, second, n, 0, options.empty_bins));
    for (const int d : options.jackknife) {
        if (d < 1 || d >= n) {
            throw Error(
                ErrorCode::usage,
                fmt::format("a jackknife that leaves out {} of {} annotators: 1 to {} are possible",
                            d, n, n - 1));
        }
        estimators.push_back(std::make_unique<Reweighing>(first, second, n, d, options.empty_bins));
    }
    if (options.mixture) estimators.push_back(make_mixture(options, first, second));
    if (options.npmle) estimators.push_back(make_npmle());
    if (estimators.empty()) throw Error(ErrorCode::usage, "no method was asked for");
    return estimators;
}

}  // namespace assay::replication
