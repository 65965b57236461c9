// A decoded image.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

namespace assay {

/// Pixels as R, G, B, X bytes, row after row from the top left, no padding: 4 * width * height
/// bytes. Readers ignore X, and every image made here has 255 there.
struct Image {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> pixels;
};

/// The most pixels that an image may claim, so that a false header cannot exhaust the memory. It is
/// Pillow's own error limit (2 * 89,478,485).
inline constexpr std::int64_t max_image_pixels = 178'956'970;

/// Limits on the cost of decoding one image. An image above them throws an error with its own name,
/// so that it can be skipped.
struct DecodeLimits {
    std::int64_t pixels = max_image_pixels;
    /// Peak memory: the pixels and the working memory of the format (coefficients of a progressive
    /// JPEG, a strip or tile of a TIFF). No image within max_image_pixels needs more than this.
    std::uint64_t bytes = std::uint64_t{2} << 30;
    /// The most scans of a progressive JPEG. Each one passes over all pixels, and encoders write
    /// about ten.
    int jpeg_scans = 200;
    /// Called once for each image within the limits, with the memory that it needs, before that is
    /// allocated. May wait for other threads, or throw.
    std::function<void(std::uint64_t bytes)> reserve = {};
};

/// Decodes JPEG, PNG, WebP, BMP, TIFF, GIF, PBM, PGM or PPM, detected by the first bytes, not by
/// the name. The result is what Pillow 9.4's `Image.open(f).convert("RGB")` gives, byte for byte.
/// Grey is replicated, palettes are looked up, and alpha is dropped. CMYK and YCCK are converted,
/// and 16-bit values are cut, as Pillow does. EXIF orientation is not applied, but TIFF's own
/// orientation tag is, because Pillow does that too. An animation or multi-page file gives its
/// first image. Throws bad_input: empty, truncated, damaged, not an image, unsupported kind, over
/// the limits; interrupted when a stop was requested. It is stricter than Pillow if Pillow would
/// invent pixels. It is an error if the data of a PNG fail their checksum or end early. It is an
/// error if a header claims far more pixels than the bytes can hold. The few BMP, GIF and TIFF
/// kinds that Pillow misreads are errors, too. Thread-safe. Cost: one decode; only rotated TIFF,
/// YCbCr TIFF and run-length BMP need a second copy of the pixels.
Image decode_image(std::span<const std::byte> bytes, const DecodeLimits& limits = {});

/// Decodes into an existing image, whose memory is reused. After an error its content is
/// undefined.
void decode_image_into(std::span<const std::byte> bytes, Image& image,
                       const DecodeLimits& limits = {});

/// Calls read_file and decode_image. Errors include the path.
Image load_image(const std::filesystem::path& path);

}  // namespace assay
