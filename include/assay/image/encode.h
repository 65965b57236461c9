// Images into files: PNG only, because what is made here must come back to the byte.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "assay/image/image.h"

namespace assay {

/// An 8-bit RGB PNG without metadata; the fourth byte of each pixel is dropped. Filter and
/// compression are fixed, so equal pixels give equal bytes, for any thread; decode_image gives the
/// same pixels back. Throws usage: an empty image, or `pixels` of another size than 4 * width *
/// height. Thread-safe.
std::vector<std::byte> encode_png(const Image& image);

/// encode_png into a file that is written atomically. Throws io.
void save_png(const Image& image, const std::filesystem::path& path);

}  // namespace assay
