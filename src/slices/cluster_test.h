// Fisher's test for images in clusters: several images of one patient, which are alike.
//
// The counts are divided by the design effect. That is the variance of the difference of the two
// accuracies, divided by its variance if all images were independent. It is the larger one of two
// estimates. The first uses the correlation of all pairs of images of one cluster, slice and rest
// alike, so it has many clusters behind it. Images of one cluster on both sides make it smaller.
// The second uses the clusters' own residuals, so it holds if clusters of the slice are more alike
// than the others (Rao and Scott 1992 divide counts by such effects).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "slices/search.h"

namespace assay::slices {

/// A slice, and the images that it is compared with, have images of at least this many clusters in
/// each half.
inline constexpr std::uint32_t fewest_slice_clusters = 5;

/// The design effect, from the counts of one cluster after the other. Cost: a few products each.
class DesignEffect {
public:
    /// `part` and what remains of `whole` have images; `whole` has hits and misses.
    DesignEffect(const Counts& part, const Counts& whole);
    /// `own`: the part's images of a cluster; `all`: the whole's. Clusters without any may be
    /// left out.
    void add(const Counts& own, const Counts& all);
    /// At least 1.
    double value() const;

private:
    double part_, rest_, whole_;                    ///< images
    double part_rate_, rest_rate_, rate_, errors_;  ///< accuracies; the rarer of hits and misses
    double residuals_ = 0, pairs_ = 0;              ///< of the whole
    double part_pairs_ = 0, rest_pairs_ = 0, mixed_pairs_ = 0;
    double own_residuals_ = 0;
};

/// LowerTest with the counts divided by `effect`, at least 1. Binomial coefficients of numbers that
/// are not whole come from the gamma function. Only for a part whose accuracy is lower than that of
/// the rest.
double lower_with_effect(const Counts& part, const Counts& whole, double effect);

/// How many clusters there are on both sides of tests, counted image by image. Images of one
/// cluster follow one another.
class ClusterTally {
public:
    /// `size`: the images of this cluster in the whole.
    void add(std::uint32_t cluster, std::uint32_t size) {
        if (images_ == 0 || cluster != last_) {
            last_ = cluster;
            images_ = 0;
            ++clusters_;
        }
        if (++images_ == size) ++complete_;
    }
    /// Clusters with an image in the slice.
    std::uint32_t clusters() const { return clusters_; }
    /// Of `all` clusters of the whole, those with an image outside the slice.
    std::uint32_t others(std::uint32_t all) const { return all - complete_; }

private:
    std::uint32_t last_ = 0, images_ = 0, clusters_ = 0, complete_ = 0;
};

/// The images of each image's cluster that have the same `value` as it does, itself included.
/// Images of one cluster follow one another. `values`: more than every value.
std::vector<std::uint32_t> cluster_sizes(std::span<const std::uint32_t> cluster,
                                         std::span<const std::int32_t> value, std::size_t values);

}  // namespace assay::slices
