// The luma of all pixels of an image, and statistics of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "assay/image/image.h"

namespace assay {

/// The luma() of each pixel, row by row.
struct LumaPlane {
    std::size_t width = 0, height = 0;
    std::vector<std::uint8_t> levels;  ///< height x width, 0 to 255
};
LumaPlane luma_plane(const Image& image);

/// The variance of the Laplacian (the sum of the four neighbours minus four times the pixel) over
/// the inner pixels. NaN if a side is shorter than 3 pixels. It is low in blurred images (J. L.
/// Pech-Pacheco et al., "Diatom autofocusing in brightfield microscopy: a comparative study",
/// 2000).
double laplacian_variance(const LumaPlane& plane);

}  // namespace assay
