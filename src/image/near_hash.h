// Hashes of 64 bits that change little where an image does: images that look nearly the same differ
// in few bits.
//
// The hash is that of C. Zauner, "Implementation and benchmarking of perceptual image hash
// functions" (2010), section 3.2 (pHash's DCT hash): brightness of the image at 32 x 32 pixels, its
// discrete cosine transform, of that the 8 x 8 lowest frequencies without the constant ones; a bit
// is set where a coefficient is above their median.
#pragma once

#include <cstdint>

#include "assay/image/image.h"

namespace assay {

/// All of it in integers: the same bits on every machine. 0 of an image of one colour.
std::uint64_t near_hash(const Image& image);

}  // namespace assay
