// Measures that tell whether an image is dark, nearly white, blurred or nearly without detail.
#pragma once

#include "assay/image/image.h"

namespace assay::inspect {

/// Measures of the luma (image/luma.h) of an image that is first reduced to a longer side of 128
/// pixels (box filter), so that they do not depend on its resolution. Smaller images are not
/// resized. The same bits on every machine, but for `entropy`, which uses its logarithm.
struct PixelMeasures {
    /// Luma from 0 to 1, which at least 5 % and 99 % of the pixels do not exceed.
    double percentile_5 = 0, percentile_99 = 0;
    double entropy = 0;  ///< Shannon's entropy of the 256 levels of luma, in bits: 0 to 8
    /// laplacian_variance() over the variance of the luma, so that contrast does not matter. NaN
    /// for images of one luma, and if a side is shorter than 3 pixels.
    double sharpness = 0;
};

/// Cost: a resize and two passes over at most 128 x 128 pixels.
PixelMeasures pixel_measures(const Image& image);

}  // namespace assay::inspect
