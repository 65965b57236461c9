// Facts about an image file from its bytes, without decoding: its format, its colors, and what
// decoding ignores (an EXIF orientation, further frames).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace assay {

/// Detected by the first bytes. `netpbm` means PBM, PGM and PPM.
enum class ImageFormat : std::uint8_t { unknown, jpeg, png, webp, bmp, tiff, gif, netpbm };
ImageFormat image_format(std::span<const std::byte> bytes);

enum class ImageColour : std::uint8_t { unknown, grey, palette, rgb, cmyk };

struct FileFacts {
    ImageFormat format = ImageFormat::unknown;
    ImageColour colour = ImageColour::unknown;
    bool alpha = false;    ///< has an alpha channel, or a transparent color
    unsigned bits = 8;     ///< bits per sample
    bool several = false;  ///< an animation or several pages; decoding takes the first
    bool exif = false;     ///< a PNG or WebP file has an EXIF block
    /// The EXIF orientation, or that of a TIFF file; 1 is upright. Like Pillow's open(), decoding
    /// applies it only for TIFF.
    std::optional<std::uint32_t> orientation = {};
    /// For a JPEG file: whether all blocks before the pixels could be read, and do not give
    /// different orientations.
    bool whole = false;
};

/// Never reads beyond `bytes`, even for damaged files. Cost: one walk over the blocks of the file.
FileFacts facts_of_file(std::span<const std::byte> bytes);

/// A property of an image that decoding ignores.
struct LeftAside {
    std::uint8_t bit;
    std::string_view id;  ///< its name in records and results
    std::string_view title;
};
inline constexpr std::array left_aside_kinds = {
    LeftAside{1, "alpha", "alpha (dropped)"},
    LeftAside{2, "more_than_8_bits", "more than 8 bits a channel (cut to 8)"},
    LeftAside{4, "several_frames", "several frames or pages (the first is read)"},
    LeftAside{8, "exif_turned", "EXIF orientation (not applied)"}};
/// The bits for all ignored properties of a file.
std::uint8_t left_aside(const FileFacts& facts);
bool is_left_aside(std::string_view id);

}  // namespace assay
