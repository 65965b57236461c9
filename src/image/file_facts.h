// What the bytes of an image file say about it, without decoding: its format, its colours, and what
// decoding leaves aside (an EXIF orientation, further frames).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace assay {

/// By the first bytes. `netpbm`: PBM, PGM and PPM.
enum class ImageFormat : std::uint8_t { unknown, jpeg, png, webp, bmp, tiff, gif, netpbm };
ImageFormat image_format(std::span<const std::byte> bytes);

enum class ImageColour : std::uint8_t { unknown, grey, palette, rgb, cmyk };

struct FileFacts {
    ImageFormat format = ImageFormat::unknown;
    ImageColour colour = ImageColour::unknown;
    bool alpha = false;    ///< a channel, or a transparent colour
    unsigned bits = 8;     ///< of a sample
    bool several = false;  ///< frames of an animation, or pages: decoding takes the first
    bool exif = false;     ///< an EXIF block of a PNG or WebP file
    /// The EXIF orientation, or that of a TIFF file: 1 is upright. Decoding obeys that of TIFF
    /// alone, as Pillow's open does.
    std::optional<std::uint32_t> orientation = {};
    /// Of a JPEG file: all blocks before the pixels could be walked over, and no two say different
    /// orientations.
    bool whole = false;
};

/// Never reads beyond `bytes`, whatever they are. Cost: a walk over the blocks of the file.
FileFacts facts_of_file(std::span<const std::byte> bytes);

/// What decoding leaves aside of an image.
struct LeftAside {
    std::uint8_t bit;
    std::string_view id;  ///< in records and results
    std::string_view title;
};
inline constexpr std::array left_aside_kinds = {
    LeftAside{1, "alpha", "alpha (dropped)"},
    LeftAside{2, "more_than_8_bits", "more than 8 bits a channel (cut to 8)"},
    LeftAside{4, "several_frames", "several frames or pages (the first is read)"},
    LeftAside{8, "exif_turned", "EXIF orientation (not applied)"}};
/// The bits of all that is left aside of a file.
std::uint8_t left_aside(const FileFacts& facts);
bool is_left_aside(std::string_view id);

}  // namespace assay
