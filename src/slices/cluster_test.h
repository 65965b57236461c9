// Fisher's test for images in clusters: several images of one patient, which are alike.
//
// The counts are divided by the design effect. That is the variance of the difference of the two
// accuracies, divided by its variance if all images were independent. It is the larger one of two
// estimates. The first uses the correlation of all pairs of images of one cluster, slice and rest
// alike, so it has many clusters behind it. Images of one cluster on both sides make it smaller.
// The second uses the clusters' own residuals, so it holds if clusters of the slice are more alike
// than the others (Rao and Scott 1992 divide counts by such effects).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "slices/search.h"

namespace assay::slices {

/// A slice, and the images that it is compared with, have images of at least this many clusters in
/// each half.
inline constexpr std::uint32_t fewest_slice_clusters = 5;

/// Sums over clusters, of whole numbers, so that they are exact.
struct ClusterSums {
    std::uint64_t images = 0, hits = 0;  ///< of their squares
    std::uint64_t both = 0;              ///< of hits times images

    void add(const Counts& cluster) {
        images += cluster.images * cluster.images;
        hits += cluster.hits * cluster.hits;
        both += cluster.hits * cluster.images;
    }
};

/// The images of a cluster that are in some whole.
struct ClusterCount {
    std::uint32_t hits = 0, images = 0;
};

/// The design effect of a part of a whole. `part` and what remains of `whole` have images; `whole`
/// has hits and misses.
class DesignEffect {
public:
    /// To be given all clusters of the whole by add().
    DesignEffect(const Counts& part, const Counts& whole) : part_(part), whole_(whole) {}
    /// To be given all images of the part by add_image(). `sums`: of the whole.
    DesignEffect(const Counts& part, const Counts& whole, const ClusterSums& sums)
        : part_(part), whole_(whole), sums_(sums) {}

    /// `own`: the part's images of a cluster; `all`: the whole's.
    void add(const Counts& own, const Counts& all) {
        sums_.add(all);
        own_.add(own);
        images_images_ += own.images * all.images;
        images_hits_ += own.images * all.hits;
        hits_images_ += own.hits * all.images;
        hits_hits_ += own.hits * all.hits;
    }
    /// Images of one cluster follow one another. `all`: the whole's images of this cluster.
    void add_image(std::uint32_t cluster, bool hit, const ClusterCount& all) {
        if (cluster != last_) current_ = {};
        last_ = cluster;
        const std::uint64_t one = hit ? 1 : 0;
        own_.images += 2 * current_.images + 1;
        own_.hits += one * (2 * current_.hits + 1);
        own_.both += current_.hits + one * (current_.images + 1);
        current_ = {current_.hits + one, current_.images + 1};
        images_images_ += all.images;
        images_hits_ += all.hits;
        hits_images_ += one * all.images;
        hits_hits_ += one * all.hits;
    }
    /// At least 1.
    double value() const;

private:
    Counts part_, whole_;
    ClusterSums sums_, own_;  ///< of the whole, of the part
    /// Sums over clusters: of the part's images and hits times the whole's.
    std::uint64_t images_images_ = 0, images_hits_ = 0, hits_images_ = 0, hits_hits_ = 0;
    Counts current_;  ///< the part's images of the last cluster
    std::uint32_t last_ = 0;
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

/// Images divided by a value each, with the clusters of each value. Images of one cluster follow
/// one another.
class ValuesInClusters {
public:
    ValuesInClusters() = default;
    /// `code`: as JudgedRows has it. `values`: more than every value.
    ValuesInClusters(std::span<const std::uint32_t> cluster, std::span<const std::uint8_t> code,
                     std::span<const std::int32_t> value, std::size_t values);

    /// Of each image: the images of its cluster with the same value, itself included.
    const ClusterCount& of_image(std::size_t i) const { return of_image_[i]; }
    const ClusterSums& sums(std::size_t value, std::size_t half) const {
        return sums_[2 * value + half];
    }
    /// The places of its images.
    const std::vector<std::uint32_t>& images(std::size_t value, std::size_t half) const {
        return images_[2 * value + half];
    }

private:
    std::vector<ClusterCount> of_image_;
    std::vector<ClusterSums> sums_;                   // by value and half
    std::vector<std::vector<std::uint32_t>> images_;  // likewise
};

}  // namespace assay::slices
