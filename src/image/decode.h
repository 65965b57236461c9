// Shared by the decoders of the single formats. Each decoder fills its image with the result of
// Pillow 9.4's convert("RGB").
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "assay/image/image.h"

namespace assay::pixels {

using Bytes = std::span<const std::byte>;

void decode_jpeg(Bytes bytes, Image& image, const DecodeLimits& limits);
void decode_png(Bytes bytes, Image& image, const DecodeLimits& limits);
void decode_webp(Bytes bytes, Image& image, const DecodeLimits& limits);
void decode_bmp(Bytes bytes, Image& image, const DecodeLimits& limits);
void decode_tiff(Bytes bytes, Image& image, const DecodeLimits& limits);
void decode_gif(Bytes bytes, Image& image, const DecodeLimits& limits);
/// Decodes bytes for which is_netpbm() is true.
void decode_netpbm(Bytes bytes, Image& image, const DecodeLimits& limits);
bool is_netpbm(Bytes bytes);

/// These throw bad_input: "damaged JPEG image: `what`", "truncated ...", "unsupported
/// ...".
[[noreturn]] void damaged(std::string_view format, std::string_view what);
[[noreturn]] void truncated(std::string_view format, std::string_view what);
[[noreturn]] void unsupported(std::string_view format, std::string_view what);

/// Throws unless 0 < width, height and width * height <= limits.pixels, max_image_pixels.
void check_size(std::string_view format, std::int64_t width, std::int64_t height,
                const DecodeLimits& limits);
/// Reserves the memory for an image of that size, which check_size() must have accepted, and
/// `beside` more bytes. Throws if that exceeds limits.bytes. Call it once per image, before
/// allocating.
void reserve_memory(std::string_view format, std::int64_t width, std::int64_t height,
                    std::uint64_t beside, const DecodeLimits& limits);
/// Sets the image's size. The content of its pixels is undefined.
void set_size(Image& image, std::int64_t width, std::int64_t height);

/// One pixel in memory order: R, G, B, 255.
inline void put_rgb(std::uint8_t* pixel, std::uint8_t r, std::uint8_t g, std::uint8_t b) {
    pixel[0] = r;
    pixel[1] = g;
    pixel[2] = b;
    pixel[3] = 255;
}

/// Pillow's CMYK to RGB: 255 - k minus c * (255 - k) / 255, rounded without a division.
inline void put_cmyk(std::uint8_t* pixel, unsigned c, unsigned m, unsigned y, unsigned k) {
    const unsigned light = 255 - k;
    const auto ink = [light](unsigned v) {
        const unsigned t = v * light + 128;
        return static_cast<std::uint8_t>(light - (((t >> 8) + t) >> 8));
    };
    put_rgb(pixel, ink(c), ink(m), ink(y));
}

}  // namespace assay::pixels
