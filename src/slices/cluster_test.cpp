#include "slices/cluster_test.h"

#include <algorithm>
#include <cmath>

#include "core/log_gamma.h"

namespace assay::slices {
namespace {

double log_choose(double n, double k) {
    return log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1);
}

double rate_of(const Counts& counts) {
    return static_cast<double>(counts.hits) / static_cast<double>(counts.images);
}

}  // namespace

double DesignEffect::value() const {
    // So many errors count as much as the assumption that images of one cluster are all correct or
    // all incorrect, as for intervals of clusters.
    constexpr double few = 3;
    const auto of = [](std::uint64_t sum) { return static_cast<double>(sum); };
    const Counts others = whole_ - part_;
    const double part = of(part_.images), rest = of(others.images), whole = of(whole_.images);
    const double rate = rate_of(whole_), own_rate = rate_of(part_), rest_rate = rate_of(others);
    const double spread = rate * (1 - rate), independent = 1 / part + 1 / rest;
    // Pairs of images of one cluster, ordered. The whole's squares are those of part and rest, and
    // twice their products.
    const double pairs = of(sums_.images) - whole, part_pairs = of(own_.images) - part,
                 mixed = of(images_images_ - own_.images),
                 rest_pairs = of(sums_.images - 2 * images_images_ + own_.images) - rest;
    const double residuals =
        of(sums_.hits) - 2 * rate * of(sums_.both) + rate * rate * of(sums_.images);
    const double errors = of(std::min(whole_.hits, whole_.images - whole_.hits));
    const double found = pairs > 0 ? (residuals - whole * spread) / (spread * pairs) : 0;
    const double alike = std::clamp((errors * found + few) / (errors + few), 0.0, 1.0);
    const double by_pairs = 1 + alike *
                                    (part_pairs / (part * part) + rest_pairs / (rest * rest) -
                                     2 * mixed / (part * rest)) /
                                    independent;
    // Squares and products of the residuals of part and rest.
    const double own =
        of(own_.hits) - 2 * own_rate * of(own_.both) + own_rate * own_rate * of(own_.images);
    const double rest_hits = of(sums_.hits - 2 * hits_hits_ + own_.hits),
                 rest_both = of(sums_.both + own_.both - images_hits_ - hits_images_),
                 rest_images = of(sums_.images - 2 * images_images_ + own_.images);
    const double other =
        rest_hits - 2 * rest_rate * rest_both + rest_rate * rest_rate * rest_images;
    const double product = of(hits_hits_ - own_.hits) - rest_rate * of(hits_images_ - own_.both) -
                           own_rate * of(images_hits_ - own_.both) + own_rate * rest_rate * mixed;
    const double varies = own / (part * part) + other / (rest * rest) - 2 * product / (part * rest);
    return std::max({1.0, by_pairs, varies / (spread * independent)});
}

double lower_with_effect(const Counts& part, const Counts& whole, double effect) {
    const double n = static_cast<double>(part.images) / effect,
                 all = static_cast<double>(whole.images) / effect,
                 hits = static_cast<double>(whole.hits) / effect, misses = all - hits;
    double x = static_cast<double>(part.hits) / effect;
    double term = std::exp(log_choose(hits, x) + log_choose(misses, n - x) - log_choose(all, n));
    double sum = term;
    // Below the mean each term is smaller than the last.
    for (; x >= 1 && n - x + 1 <= misses && term > 1e-18 * sum; --x) {
        const double missed = n - x;
        term *= x * (misses - missed) / ((hits - x + 1) * (missed + 1));
        sum += term;
    }
    return std::min(1.0, sum);
}

ValuesInClusters::ValuesInClusters(std::span<const std::uint32_t> cluster,
                                   std::span<const std::uint8_t> code,
                                   std::span<const std::int32_t> value, std::size_t values)
    : of_image_(cluster.size()), sums_(2 * values), images_(2 * values) {
    std::vector<ClusterCount> counts(values);
    for (std::size_t begin = 0; begin < cluster.size();) {
        std::size_t end = begin;
        for (; end < cluster.size() && cluster[end] == cluster[begin]; ++end) {
            ClusterCount& count = counts[static_cast<std::size_t>(value[end])];
            count.hits += code[end] & 1U;
            ++count.images;
            images_[2 * static_cast<std::size_t>(value[end]) + (code[end] >> 1U)].push_back(
                static_cast<std::uint32_t>(end));
        }
        for (std::size_t i = begin; i < end; ++i)
            of_image_[i] = counts[static_cast<std::size_t>(value[i])];
        for (std::size_t i = begin; i < end; ++i) {
            ClusterCount& count = counts[static_cast<std::size_t>(value[i])];
            sums_[2 * static_cast<std::size_t>(value[i]) + (code[i] >> 1U)].add(
                {count.hits, count.images});
            count = {};
        }
        begin = end;
    }
}

}  // namespace assay::slices
