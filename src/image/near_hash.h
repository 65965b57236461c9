// Perceptual hashes of 64 bits: similar images have hashes that differ in few bits.
//
// The hash is pHash's DCT hash, C. Zauner, "Implementation and benchmarking of perceptual image
// hash functions" (2010), section 3.2. It takes the brightness of the image at 32 x 32 pixels, and
// its discrete cosine transform. It uses the 8 x 8 lowest frequencies of this transform, without
// the constant ones. A bit is set if a coefficient is above their median.
#pragma once

#include <cstdint>

#include "assay/image/image.h"

namespace assay {

/// Uses integers only, so the bits are the same on every machine. An image of one color gives 0.
std::uint64_t near_hash(const Image& image);

}  // namespace assay
