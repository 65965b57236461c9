// The part of TIFF decoding that needs no libtiff: which layouts are supported, and how samples
// become R, G, B.
#pragma once

#include <cstddef>
#include <cstdint>

#include "assay/image/image.h"

namespace assay::pixels {

/// The layout according to the tags.
struct TiffLayout {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    int bits = 1;         ///< a sample
    int samples = 1;      ///< samples per pixel, including extra samples
    int extras = 0;       ///< samples per pixel that are not colors
    int first_extra = 0;  ///< meaning of the first extra sample (EXTRASAMPLE_...)
    int format = 1;       ///< SAMPLEFORMAT_...
    int photometric = 0;  ///< PHOTOMETRIC_...
    int compression = 1;
    int orientation = 1;
    bool separate = false;  ///< true if each sample is in a separate plane
    bool big_endian = false;
};

/// Throws an unsupported error unless Pillow 9.4 reads such a file.
void check_supported(const TiffLayout& l);

/// The number of planes to read: one, or at most as many as a pixel has bytes.
inline int planes(const TiffLayout& l) {
    if (!l.separate) return 1;
    return l.samples < 4 ? l.samples : 4;
}

/// The number of bytes of `pixels` pixels in a row of one plane.
inline std::size_t row_bytes(const TiffLayout& l, std::uint32_t pixels) {
    return (std::size_t{pixels} * static_cast<std::size_t>(l.separate ? 1 : l.samples) *
                static_cast<std::size_t>(l.bits) +
            7) /
           8;
}

/// Reduces the samples of a row (native byte order) to bytes. Takes the first four of each pixel,
/// or one plane's sample to byte `plane` of the pixel.
void take_samples(const TiffLayout& l, int plane, const std::byte* row, std::uint32_t pixels,
                  std::uint8_t* out);

/// Converts each pixel of samples to R, G, B, 255. `palette` contains R, G, B, X entries.
void samples_to_rgb(const TiffLayout& l, const std::uint8_t* palette, Image& image);

/// Rotates and mirrors according to the orientation tag (1 to 8).
void orient(Image& image, int orientation);

}  // namespace assay::pixels
