// Strata of a pool according to its predictions, and a sample that can grow without dropping
// images.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/few_labels/estimate.h"
#include "few_labels/pool.h"

namespace assay::few_labels {

/// The size of an image in the division into strata is (1 - floor) sqrt(v) / mean sqrt(v) + floor.
/// Here v is a mix of the expected variances of accuracies and of differences, each divided by its
/// mean.
struct SizeMeasure {
    double of_apart = 0.5, floor = 0.5;
    double mean_unsure = 0, mean_apart = 0, mean_root = 1;

    double root(const ImageFacts& image) const;
    double operator()(const ImageFacts& image) const;
};
SizeMeasure size_measure(Purpose purpose, std::size_t classifiers);

/// The number of strata for this many labels: one per 12, from 2 to 10.
std::size_t strata_for(std::uint64_t labels);

/// The stratum of each image of a pool.
class Strata {
public:
    static constexpr std::uint8_t outside = 255;
    /// Up to this many images are divided exactly, by a sort. With more, a histogram of 2^16 bins
    /// of the mean consensus is used, and images of one bin stay together.
    static constexpr std::uint64_t sorted_at_most = std::uint64_t{1} << 20;

    /// `wanted` is the number of strata before those of fewer than two images are joined with
    /// others. `settled` are rows of the pool, ascending, that belong to no stratum because their
    /// values are known. Cost: three passes over the pool. Memory: 32 bytes per image, at most 40
    /// MB. Throws bad_input if fewer than two images remain.
    Strata(const Pool& pool, Purpose purpose, std::size_t wanted, int threads,
           const ProgressCallback& progress, std::uint64_t sorted = sorted_at_most,
           std::vector<std::uint64_t> settled = {});

    std::size_t size() const noexcept { return images_.size(); }
    /// All images of the pool, settled or not.
    std::uint64_t pool_size() const noexcept { return drawable_ + settled_.size(); }
    std::uint64_t drawable() const noexcept { return drawable_; }  ///< images of the strata
    const std::vector<std::uint64_t>& settled() const noexcept { return settled_; }
    const std::vector<std::uint64_t>& images() const noexcept { return images_; }  ///< N_h
    const std::vector<double>& totals() const noexcept { return totals_; }         ///< T_h
    /// One flag per stratum: strata of contested images follow those of unanimous ones.
    const std::vector<bool>& contested() const noexcept { return contested_; }
    /// `outside` for a settled image, too.
    std::uint8_t of(std::uint64_t row, const ImageFacts& image) const;

private:
    struct Part;
    bool takes(std::uint64_t row, const ImageFacts& image) const;
    void join_small(std::vector<std::uint8_t>& final_of);

    SizeMeasure measure_;
    std::vector<std::uint64_t> settled_;
    std::uint64_t drawable_ = 0;
    std::vector<std::uint8_t> of_row_;                 // if images were sorted
    std::array<std::vector<std::uint8_t>, 2> of_bin_;  // unanimous, contested
    std::vector<std::uint64_t> images_;
    std::vector<double> totals_;
    std::vector<bool> contested_;
};

/// Numbers of labels per stratum. A stratum first gets two if it has as many images. Then one label
/// at a time goes to the stratum with images left that has the largest total / (labels + 1/2). The
/// first stratum wins ties. A larger number of labels never reduces any stratum's number.
std::vector<std::uint64_t> allocate(std::span<const double> totals,
                                    std::span<const std::uint64_t> images, std::uint64_t labels);

/// The random order of the images in a stratum.
std::uint64_t draw_key(std::uint64_t seed, std::uint64_t row);

}  // namespace assay::few_labels
