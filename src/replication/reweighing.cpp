// The naive estimate and the jackknife, with the influence of each image.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "replication/enough_annotators.h"
#include "replication/estimator.h"

namespace assay::replication {
namespace {

/// The naive estimate's influence values (delta method), times a factor. By thinned reading j, P1
/// has the proportions of set 1, and T the images of set 2. The accuracy on these images is r. All
/// sums are over the readings that set 2 has.
///
///     A = sum_j P1_j r_j / covered.
///     An image of set 1:  sum_j p(j | its cell) (r_j - A) / (N1 covered).
///     An image of set 2:  sum_j p(j | its cell) (hit - r_j) P1_j / (T_j covered).
///
/// The proportion `covered` is sum_j P1_j, or 1 if absent readings count as 0. If they do, the
/// value of an image of set 1 subtracts A / N1 once, and not A for each reading.
class NaiveInfluence {
public:
    NaiveInfluence(const CellCounts& first, const CellCounts& second, const Thinning& thin_first,
                   const Thinning& thin_second, EmptyBins rule)
        : thin_first_(thin_first),
          thin_second_(thin_second),
          rule_(rule),
          first_total_(first.total()),
          one_(thin_first.apply(first.images)),
          two_(thin_second.apply(second.images)) {
        double covered = 0;
        for (std::size_t j = 0; j < one_.size(); ++j) covered += two_[j] > 0 ? one_[j] : 0;
        scale_ = rule == EmptyBins::renormalise ? first_total_ / covered : 1;
    }

    /// `correct` is for one classifier, by cell of set 2.
    void add(std::span<const double> correct, double factor, std::vector<double>& first,
             std::vector<double>& miss, std::vector<double>& hit) const {
        const std::vector<double> hits = thin_second_.apply(correct);
        std::vector<double> accuracy(hits.size(), 0.0);
        double adjusted = 0;
        for (std::size_t j = 0; j < hits.size(); ++j) {
            if (two_[j] <= 0) continue;
            accuracy[j] = hits[j] / two_[j];
            adjusted += scale_ * one_[j] / first_total_ * accuracy[j];
        }
        for (std::size_t c = 0; c < first.size(); ++c) {
            const auto p = thin_first_.row(c);
            double sum = rule_ == EmptyBins::renormalise ? 0 : -adjusted;
            for (std::size_t j = 0; j < p.size(); ++j) {
                if (two_[j] <= 0) continue;
                sum += p[j] * (rule_ == EmptyBins::renormalise ? scale_ * (accuracy[j] - adjusted)
                                                               : accuracy[j]);
            }
            first[c] += factor * sum / first_total_;
        }
        for (std::size_t c = 0; c < miss.size(); ++c) {
            const auto p = thin_second_.row(c);
            for (std::size_t j = 0; j < p.size(); ++j) {
                if (two_[j] <= 0) continue;
                const double weight = factor * scale_ * p[j] * one_[j] / first_total_ / two_[j];
                hit[c] += weight;
                miss[c] -= weight * accuracy[j];
            }
        }
    }

private:
    const Thinning& thin_first_;
    const Thinning& thin_second_;
    EmptyBins rule_;
    double first_total_, scale_ = 1;
    std::vector<double> one_, two_;  ///< numbers of images by thinned reading
};

/// The thinning tables are made once.
class Reweighing final : public Estimator {
public:
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
                                 CellEffects* effects) const override {
        const EnoughAnnotators part(first, second, correct, n_);
        const CellWeights w = weights(part.first, part.second);
        if (result != nullptr) {
            result->weights = part.spread_second(w.weight);
            result->covered = w.covered;
            if (const std::string note = part.note(); !note.empty()) result->notes.push_back(note);
        }
        std::vector<double> accuracies = weigh(w, part.correct);
        if (effects != nullptr) {
            *effects = influences(part, first.grid.size(), second.grid.size());
            effects->adjusted = accuracies;
        }
        return accuracies;
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

    CellEffects influences(const EnoughAnnotators& part, std::size_t first_cells,
                           std::size_t second_cells) const {
        const NaiveInfluence full(part.first, part.second, full_first_, full_second_, rule_),
            less(part.first, part.second, less_first_, less_second_, rule_);
        const std::size_t models = part.correct.models;
        CellEffects effects;
        effects.first.assign(first_cells * models, 0.0);
        effects.miss.assign(second_cells * models, 0.0);
        effects.hit = effects.miss;
        const double n = n_, d = d_;
        for (std::size_t m = 0; m < models; ++m) {
            const std::vector<double> correct = part.correct.of(m);
            std::vector<double> first(part.first_place.size(), 0.0),
                miss(part.second_place.size(), 0.0), hit = miss;
            full.add(correct, d_ == 0 ? 1 : n / d, first, miss, hit);
            if (d_ > 0) less.add(correct, -(n - d) / d, first, miss, hit);
            for (std::size_t c = 0; c < first.size(); ++c)
                effects.first[part.first_place[c] * models + m] = first[c];
            for (std::size_t c = 0; c < miss.size(); ++c) {
                effects.miss[part.second_place[c] * models + m] = miss[c];
                effects.hit[part.second_place[c] * models + m] = hit[c];
            }
        }
        return effects;
    }

    int n_, d_;
    EmptyBins rule_;
    Thinning full_first_, full_second_, less_first_, less_second_;
};

}  // namespace

std::unique_ptr<Estimator> make_reweighing(const CellCounts& first, const CellCounts& second, int n,
                                           int d, EmptyBins rule) {
    return std::make_unique<Reweighing>(first, second, n, d, rule);
}

}  // namespace assay::replication
