// The orientation that cameras write beside the pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace assay {

/// The tag Orientation (1 to 8) of the EXIF data of a JPEG, PNG or WebP; 1 where there is none, or
/// it is damaged. TIFF is always 1: its tag is applied as it is decoded.
int exif_orientation(std::span<const std::byte> image);

/// The image turned and mirrored as its EXIF data say, as a PNG of the same pixels; nothing where
/// there is nothing to turn, or the image cannot be decoded within 1 GiB. Throws bad_input: the PNG
/// has more than `limit` bytes. Cost: a decode and an encode of each turned image.
std::optional<std::vector<std::byte>> turned_by_exif(std::span<const std::byte> image,
                                                     std::uint64_t limit = UINT64_MAX);

}  // namespace assay
