// Strata of a pool by what its predictions say, and a sample that grows: the same images and more.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/few_labels/estimate.h"
#include "few_labels/pool.h"

namespace assay::few_labels {

/// How large an image counts where strata are cut: (1 - floor) sqrt(v) / mean sqrt(v) + floor, v a
/// mix of the expected variances of accuracies and of differences, each divided by its mean.
struct SizeMeasure {
    double of_apart = 0.5, floor = 0.5;
    double mean_unsure = 0, mean_apart = 0, mean_root = 1;

    double root(const ImageFacts& image) const;
    double operator()(const ImageFacts& image) const;
};
SizeMeasure size_measure(Purpose purpose, std::size_t classifiers);

/// How many strata for so many labels: one for each 12, 2 to 10.
std::size_t strata_for(std::uint64_t labels);

/// Which stratum each image of a pool is in.
class Strata {
public:
    static constexpr std::uint8_t outside = 255;
    /// Images that are cut exactly, by a sort; of more, a histogram of 2^16 bins of the mean
    /// consensus decides, and images of one bin stay together.
    static constexpr std::uint64_t sorted_at_most = std::uint64_t{1} << 20;

    /// `wanted`: strata before those of fewer than two images are joined with others. Cost: three
    /// passes over the pool. Memory: 32 bytes an image, at most 40 MB. Throws bad_input: fewer than
    /// two images in the pool.
    Strata(const Pool& pool, Purpose purpose, std::size_t wanted, int threads,
           const ProgressCallback& progress, std::uint64_t sorted = sorted_at_most);

    std::size_t size() const noexcept { return images_.size(); }
    std::uint64_t pool_size() const noexcept { return pool_size_; }
    const std::vector<std::uint64_t>& images() const noexcept { return images_; }  ///< N_h
    const std::vector<double>& totals() const noexcept { return totals_; }         ///< T_h
    /// Strata of contested images follow those of unanimous ones; by stratum.
    const std::vector<bool>& contested() const noexcept { return contested_; }
    std::uint8_t of(std::uint64_t row, const ImageFacts& image) const;

private:
    struct Part;
    void join_small(std::vector<std::uint8_t>& final_of);

    SizeMeasure measure_;
    std::uint64_t pool_size_ = 0;
    std::vector<std::uint8_t> of_row_;                 // where images were sorted
    std::array<std::vector<std::uint8_t>, 2> of_bin_;  // unanimous, contested
    std::vector<std::uint64_t> images_;
    std::vector<double> totals_;
    std::vector<bool> contested_;
};

/// Labels of each stratum: two where there are as many images, then one at a time to the stratum of
/// the largest total / (labels + 1/2) that has images left; of equal ones the first. More labels
/// never take one away.
std::vector<std::uint64_t> allocate(std::span<const double> totals,
                                    std::span<const std::uint64_t> images, std::uint64_t labels);

/// Order of the images in a stratum.
std::uint64_t draw_key(std::uint64_t seed, std::uint64_t row);

}  // namespace assay::few_labels
