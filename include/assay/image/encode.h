// Writes images to files: PNG, which is lossless, and JPEG, which is smaller.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "assay/image/image.h"

namespace assay {

/// An 8-bit RGB PNG without metadata; the fourth byte of each pixel is dropped. Filter and
/// compression are fixed, so equal pixels always give equal bytes. decode_image returns the same
/// pixels. Throws usage for an empty image, or a size of `pixels` other than 4 * width * height.
/// Thread-safe.
std::vector<std::byte> encode_png(const Image& image);

/// A baseline JPEG, at full color resolution (4:4:4), with the slow integer transform. With the
/// same library, equal pixels give equal bytes. `quality` is on libjpeg's scale, 1 to 100. Throws
/// usage as encode_png does, and for any other quality. Thread-safe.
std::vector<std::byte> encode_jpeg(const Image& image, int quality);

enum class JpegChroma {
    full,    ///< 4:4:4: color differences of each pixel
    halved,  ///< 4:2:0: color differences of each 2 x 2 pixels, the default of Pillow and OpenCV
};
struct JpegOptions {
    int quality = 95;  ///< 1 to 100, libjpeg's scale
    JpegChroma chroma = JpegChroma::full;
    bool optimize = false;  ///< Use Huffman tables made for the image: a smaller file with the same
                            ///< pixels
};
/// The same as encode_jpeg() with more options.
std::vector<std::byte> encode_jpeg(const Image& image, const JpegOptions& options);

/// Writes encode_png() to a file atomically. Throws io.
void save_png(const Image& image, const std::filesystem::path& path);

}  // namespace assay
