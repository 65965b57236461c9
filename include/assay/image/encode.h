// Images into files: PNG, which comes back to the byte, and JPEG, which is smaller.
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

/// A baseline JPEG, R, G and B at full resolution (4:4:4), with the slow whole-number transform:
/// equal pixels give equal bytes with one library. quality: 1 to 100, libjpeg's scale. Throws usage
/// as encode_png, and on another quality. Thread-safe.
std::vector<std::byte> encode_jpeg(const Image& image, int quality);

enum class JpegChroma {
    full,    ///< 4:4:4: colour differences of each pixel
    halved,  ///< 4:2:0: of each 2 x 2 pixels, what Pillow and OpenCV write unless told otherwise
};
struct JpegOptions {
    int quality = 95;  ///< 1 to 100, libjpeg's scale
    JpegChroma chroma = JpegChroma::full;
    bool optimize = false;  ///< Huffman tables of the image's own: smaller, the same pixels
};
/// The same with what else may be chosen.
std::vector<std::byte> encode_jpeg(const Image& image, const JpegOptions& options);

/// encode_png into a file that is written atomically. Throws io.
void save_png(const Image& image, const std::filesystem::path& path);

}  // namespace assay
