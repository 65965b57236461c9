#include "slices/cluster_test.h"

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

DesignEffect::DesignEffect(const Counts& part, const Counts& whole)
    : part_(static_cast<double>(part.images)),
      rest_(static_cast<double>(whole.images - part.images)),
      whole_(static_cast<double>(whole.images)),
      part_rate_(rate_of(part)),
      rest_rate_(rate_of(whole - part)),
      rate_(rate_of(whole)),
      errors_(static_cast<double>(std::min(whole.hits, whole.images - whole.hits))) {}

void DesignEffect::add(const Counts& own, const Counts& all) {
    const auto n = static_cast<double>(own.images), h = static_cast<double>(own.hits),
               whole = static_cast<double>(all.images), hits = static_cast<double>(all.hits),
               m = whole - n;
    const double residual = hits - rate_ * whole;
    residuals_ += residual * residual;
    pairs_ += whole * (whole - 1);
    part_pairs_ += n * (n - 1);
    rest_pairs_ += m * (m - 1);
    mixed_pairs_ += n * m;
    const double difference = (h - part_rate_ * n) / part_ - (hits - h - rest_rate_ * m) / rest_;
    own_residuals_ += difference * difference;
}

double DesignEffect::value() const {
    // So many errors count as much as the assumption that images of one cluster are all correct or
    // all incorrect, as for intervals of clusters.
    constexpr double few = 3;
    const double spread = rate_ * (1 - rate_), independent = 1 / part_ + 1 / rest_;
    const double found = pairs_ > 0 ? (residuals_ - whole_ * spread) / (spread * pairs_) : 0;
    const double alike = std::clamp((errors_ * found + few) / (errors_ + few), 0.0, 1.0);
    const double by_pairs = 1 + alike *
                                    (part_pairs_ / (part_ * part_) + rest_pairs_ / (rest_ * rest_) -
                                     2 * mixed_pairs_ / (part_ * rest_)) /
                                    independent;
    return std::max({1.0, by_pairs, own_residuals_ / (spread * independent)});
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

std::vector<std::uint32_t> cluster_sizes(std::span<const std::uint32_t> cluster,
                                         std::span<const std::int32_t> value, std::size_t values) {
    std::vector<std::uint32_t> counts(values), sizes(cluster.size());
    for (std::size_t begin = 0; begin < cluster.size();) {
        std::size_t end = begin;
        while (end < cluster.size() && cluster[end] == cluster[begin])
            ++counts[static_cast<std::size_t>(value[end++])];
        for (std::size_t i = begin; i < end; ++i)
            sizes[i] = counts[static_cast<std::size_t>(value[i])];
        for (std::size_t i = begin; i < end; ++i) counts[static_cast<std::size_t>(value[i])] = 0;
        begin = end;
    }
    return sizes;
}

}  // namespace assay::slices
