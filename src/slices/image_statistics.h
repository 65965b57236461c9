// Computes statistics of each image's pixels: brightness, sharpness, size and aspect.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/data/dataset.h"
#include "assay/image/image.h"
#include "assay/progress.h"
#include "assay/store/prediction_store.h"

namespace assay::slices {

inline constexpr std::array<std::string_view, 4> image_statistics = {"brightness", "sharpness",
                                                                     "megapixels", "aspect"};

/// In the order of `image_statistics`. NaN means not defined.
/// `brightness` is the mean luma from 0 to 1 (ITU-R BT.601, 8 bits, as Pillow's mode L).
/// `sharpness` is the laplacian_variance() of the luma from 0 to 255. `megapixels` is width times
/// height. `aspect` is width over height.
std::array<double, 4> statistics_of(const Image& image);

struct ImageStatistics {
    std::array<std::vector<double>, 4> of;  ///< by statistic, then by row; NaN means not read
    std::uint64_t unreadable = 0;
    std::string first_unreadable;
};

/// Reads the image `items[row]` of `images` for each row of the store; -1: it has none. Compares
/// the bytes with the store's record of its images. Throws bad_input for another image; errors that
/// end a run. Cost: reads and decodes each image. Memory: 32 bytes per row, an image per thread.
ImageStatistics read_statistics(const Dataset& images, const std::vector<std::int64_t>& items,
                                const PredictionStore& store, int threads,
                                const ProgressCallback& progress);

/// The statistics of stores whose images were read where they were when they were predicted. Data
/// sets often share their images: with other attributes, or corrupted in memory. Memory: 32 bytes
/// per image.
class KnownStatistics {
public:
    /// Those of a store with the same images at the same places, or null. Valid until the next
    /// add(). Cost: the records of their images.
    const ImageStatistics* of(const PredictionStore& store) const;
    /// The store must outlive this object.
    const ImageStatistics& add(const PredictionStore& store, ImageStatistics read);

private:
    std::vector<std::pair<const PredictionStore*, ImageStatistics>> known_;
};

}  // namespace assay::slices
