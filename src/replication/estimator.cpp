#include "replication/estimator.h"

#include <fmt/ranges.h>
#include <algorithm>
#include <cmath>
#include <utility>

#include "assay/error.h"

namespace assay::replication {
namespace {

/// Naive at a number of annotators, or the jackknife that leaves out d of them; the thinning tables
/// are made once.
class Reweighing final : public Estimator {
public:
    Reweighing(const CellCounts& first, const CellCounts& second, int d, EmptyBins rule)
        : n_(std::min(first.grid.min_n(), second.grid.min_n())),
          d_(d),
          rule_(rule),
          full_first_(first.grid, n_),
          full_second_(second.grid, n_),
          less_first_(first.grid, n_ - d),
          less_second_(second.grid, n_ - d) {}

    std::string id() const override { return d_ == 0 ? "naive" : fmt::format("jackknife{}", d_); }
    std::string definition() const override {
        const char* bins = rule_ == EmptyBins::renormalise ? "renormalised" : "empty_bins_zero";
        return d_ == 0 ? fmt::format("adjusted.naive.n{}.{}", n_, bins)
                       : fmt::format("adjusted.jackknife.delete{}.n{}.{}", d_, n_, bins);
    }
    std::vector<double> estimate(const CellCounts& first, const CellCounts& second,
                                 const Correct& correct, MethodResult* result) const override {
        const CellWeights w = weights(first, second);
        if (result != nullptr) {
            result->weights = w.weight;
            result->covered = w.covered;
        }
        return weigh(w, correct);
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

class Moments final : public Estimator {
public:
    explicit Moments(std::vector<int> exponents) : exponents_(std::move(exponents)) {}
    std::string id() const override { return "moments"; }
    std::string definition() const override {
        return fmt::format("adjusted.moments.{}", fmt::join(exponents_, "_"));
    }
    std::vector<double> estimate(const CellCounts& first, const CellCounts& second,
                                 const Correct& correct, MethodResult* result) const override {
        const MomentProjection projection(first, second, exponents_);
        if (result != nullptr) describe(projection, correct, *result);
        return weigh(projection.weights(), correct);
    }

private:
    static void describe(const MomentProjection& projection, const Correct& correct,
                         MethodResult& result) {
        result.weights = projection.weights().weight;
        result.exponents = projection.exponents();
        result.definition = fmt::format("adjusted.moments.{}",
                                        fmt::join(result.exponents, "_"));  // some may be dropped
        const std::vector<double> rates = drawing_rates();
        for (std::size_t m = 0; m < correct.models; ++m) {
            result.curves.push_back(projection.fit(correct.of(m)).curve);
            std::vector<double> drawn;
            for (const double s : rates) {
                double g = 0;
                for (std::size_t j = 0; j < result.exponents.size(); ++j) {
                    g += result.curves.back()[j] * std::pow(s, result.exponents[j]);
                }
                drawn.push_back(g);
            }
            result.drawing.accuracy.push_back(std::move(drawn));
        }
    }
    std::vector<int> exponents_;
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

std::unique_ptr<Estimator> make_moments(std::vector<int> exponents) {
    return std::make_unique<Moments>(std::move(exponents));
}

std::vector<std::unique_ptr<Estimator>> make_estimators(const AdjustOptions& options,
                                                        const CellCounts& first,
                                                        const CellCounts& second) {
    std::vector<std::unique_ptr<Estimator>> estimators;
    const int n = std::min(first.grid.min_n(), second.grid.min_n());
    if (options.moments) {
        estimators.push_back(
            make_moments(options.exponents.empty() ? default_exponents(n) : options.exponents));
    }
    if (options.naive)
        estimators.push_back(std::make_unique<Reweighing>(first, second, 0, options.empty_bins));
    for (const int d : options.jackknife) {
        if (d < 1 || d >= n) {
            throw Error(
                ErrorCode::usage,
                fmt::format("a jackknife that leaves out {} of {} annotators: 1 to {} are possible",
                            d, n, n - 1));
        }
        estimators.push_back(std::make_unique<Reweighing>(first, second, d, options.empty_bins));
    }
    if (options.mixture) estimators.push_back(make_mixture(options, first, second));
    if (options.npmle) estimators.push_back(make_npmle());
    if (estimators.empty()) throw Error(ErrorCode::usage, "no method was asked for");
    return estimators;
}

}  // namespace assay::replication
