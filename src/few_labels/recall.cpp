#include "few_labels/recall.h"

#include <algorithm>
#include <vector>

#include "core/statistics.h"

namespace assay::few_labels {
namespace {

constexpr double recall_shrinkage = 3;  // number of errors with which a factor of 1 is weighted

double weight_of(const StratumSample& stratum) {
    return stratum.labels > 0 ? stratum.images / stratum.labels : 0;
}

/// Of the ratio, from the spread of its linearised values in each stratum. Images of other classes
/// have the value 0.
double variance_of_ratio(std::span<const LabelledValue> of_class,
                         std::span<const StratumSample> strata, double ratio, double size) {
    std::vector<double> sums(strata.size(), 0), squares(strata.size(), 0);
    for (const LabelledValue& one : of_class) {
        const double u = (one.value - ratio) / size;
        sums[one.stratum] += u;
        squares[one.stratum] += u * u;
    }
    double out = 0;
    for (std::size_t h = 0; h < strata.size(); ++h) {
        const double images = strata[h].images, labels = strata[h].labels;
        if (labels < 2) continue;
        const double spread = (squares[h] - sums[h] * sums[h] / labels) / (labels - 1);
        out += images * images * std::max(0.0, 1 - labels / images) / labels * spread;
    }
    return out;
}

}  // namespace

RecallEstimate estimate_recall(std::span<const LabelledValue> of_class,
                               std::span<const StratumSample> strata, double quantile) {
    RecallEstimate out;
    out.labels = of_class.size();
    if (out.labels < 2) return out;
    double size = 0, squares = 0, right = 0, hits = 0;
    for (const LabelledValue& one : of_class) {
        const double w = weight_of(strata[one.stratum]);
        size += w;
        squares += w * w;
        right += w * one.value;
        hits += one.value;
    }
    const double ratio = std::clamp(right / size, 0.0, 1.0);
    out.value = ratio;
    const bool all = std::ranges::all_of(
        strata, [](const StratumSample& one) { return one.labels >= one.images; });
    if (all) {
        out.low = out.high = ratio;
        return out;
    }
    const double draws = size * size / squares, of_draws = ratio * (1 - ratio);
    const double variance = variance_of_ratio(of_class, strata, ratio, size);
    const double found = of_draws > 0 && variance > 0 ? variance * draws / of_draws : 1;
    const double rarer = std::min(hits, static_cast<double>(out.labels) - hits);
    const double effect = (rarer * found + recall_shrinkage) / (rarer + recall_shrinkage);
    const Interval interval = wilson_of_size(ratio, draws / effect, quantile,
                                             2 * normal_cdf(quantile) - 1, "wilson.design");
    out.low = interval.low;
    out.high = interval.high;
    return out;
}

}  // namespace assay::few_labels
