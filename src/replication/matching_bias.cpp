// Measures how far held-out frequencies of matches are below those that chose them.
#include <algorithm>
#include <cmath>

#include "core/statistics.h"
#include "replication/matching_parts.h"

namespace assay::replication::matching {
namespace {

using Buckets = std::array<double, match_buckets>;

double sum_of(const Buckets& values) {
    double sum = 0;
    for (const double x : values) sum += x;
    return sum;
}

/// Values are by class, with both sets as proportions.
struct BucketSums {
    Buckets reference{}, candidates{}, difference{};
    double images = 0;
};

BucketSums sums_of(const std::vector<ClassTally>& classes, double weights) {
    BucketSums sums;
    for (const ClassTally& c : classes) {
        const double w = c.weight / weights, first = sum_of(c.reference),
                     second = sum_of(c.candidates);
        for (std::size_t b = 0; b < match_buckets; ++b) {
            sums.reference[b] += w * c.reference[b] / first;
            sums.candidates[b] += w * c.candidates[b] / second;
            sums.difference[b] += w * c.sum[b] / second;
        }
        sums.images += second;
    }
    return sums;
}

}  // namespace

Estimate selection_bias(const std::vector<ClassTally>& all) {
    Estimate estimate;
    estimate.unit = Unit::proportion;
    std::vector<ClassTally> classes;
    double weights = 0;
    for (const ClassTally& c : all) {
        if (c.weight <= 0 || sum_of(c.reference) <= 0 || sum_of(c.candidates) <= 0) continue;
        classes.push_back(c);
        weights += c.weight;
    }
    if (classes.empty()) {
        estimate.undefined = "no class has both reference images and candidates";
        return estimate;
    }
    const BucketSums sums = sums_of(classes, weights);
    // A bucket without candidates has no estimate, so the other buckets represent it.
    Buckets mean{}, ratio{};
    double covered = 0, value = 0;
    for (std::size_t b = 0; b < match_buckets; ++b) {
        if (sums.candidates[b] <= 0) continue;
        mean[b] = sums.difference[b] / sums.candidates[b];
        ratio[b] = sums.reference[b] / sums.candidates[b];
        covered += sums.reference[b];
        value += sums.reference[b] * mean[b];
    }
    if (covered <= 0) {
        estimate.undefined = "no candidate is in a bucket of the reference";
        return estimate;
    }
    value /= covered;
    if (covered < 1 - 1e-12)
        estimate.note = "without the buckets of the reference that have no candidate";
    double squares = 0, shares = 0;
    for (const ClassTally& c : classes) {
        const double w = c.weight / weights, first = sum_of(c.reference),
                     second = sum_of(c.candidates);
        double influence = 0, of_images = 0;
        for (std::size_t b = 0; b < match_buckets; ++b) {
            if (sums.candidates[b] <= 0) continue;
            const double off = mean[b] - value, weight = ratio[b] / second;
            influence +=
                c.reference[b] / first * off + weight * (c.sum[b] - c.candidates[b] * mean[b]);
            of_images +=
                c.reference[b] / (first * first) * off * off +
                weight * weight *
                    (c.squares[b] - 2 * mean[b] * c.sum[b] + c.candidates[b] * mean[b] * mean[b]);
        }
        squares += classes.size() > 1 ? w * w * influence * influence : of_images;
        shares += w * w;
    }
    const bool by_class = classes.size() > 1;
    const double units =
        by_class ? 1 / shares
                 : std::min(sum_of(classes[0].reference), sum_of(classes[0].candidates));
    estimate.value = value;
    estimate.n = static_cast<std::uint64_t>(std::llround(sums.images));
    const double error = units > 1 ? std::sqrt(squares * units / (units - 1)) / covered : 0;
    if (!(error > 1e-12)) {
        estimate.note = "no interval: the differences do not vary";
        return estimate;
    }
    estimate.standard_error = error;
    estimate.interval = symmetric_interval(
        value, error, 0.95, by_class ? "t.by_class" : "t.by_image", std::max(1.0, units - 1));
    return estimate;
}

}  // namespace assay::replication::matching
