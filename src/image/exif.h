// The orientation that cameras record in an image file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace assay {

/// The orientation tag (1 to 8) in the EXIF data of a JPEG, PNG or WebP. Returns 1 if the tag is
/// absent or damaged. For TIFF it is always 1, because decoding already applies its tag.
int exif_orientation(std::span<const std::byte> image);

/// Rotates and mirrors the image according to its EXIF data, and returns a PNG of the same pixels.
/// Returns nothing if the image is upright already, or cannot be decoded within 1 GiB. Throws
/// bad_input if the PNG has more than `limit` bytes. Cost: a decode and an encode of each rotated
/// image.
std::optional<std::vector<std::byte>> turned_by_exif(std::span<const std::byte> image,
                                                     std::uint64_t limit = UINT64_MAX);

}  // namespace assay
