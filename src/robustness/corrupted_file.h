// Compresses a corrupted image in memory to a JPEG like those of the published set.
#pragma once

#include <cstddef>
#include <vector>

#include "assay/image/encode.h"

namespace assay::robustness {

inline std::vector<std::byte> published_jpeg(const Image& image, int quality) {
    return encode_jpeg(image, {.quality = quality, .chroma = JpegChroma::halved, .optimize = true});
}

}  // namespace assay::robustness
