// Images that are stored inside archives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace assay {

/// Gives access by name to the encoded images of a data set: rows of tables, members of archives.
/// Several threads may call const functions at once.
class ImageArchive {
public:
    virtual ~ImageArchive() = default;

    /// The encoded bytes of the image with this name (Dataset::paths, or its id). Throws bad_input
    /// (no such image, damaged, more than `limit` bytes; the message names file and place) or io.
    /// Cost: at least a copy of the image, at most decompressing one block of the archive.
    virtual std::vector<std::byte> read(std::string_view name,
                                        std::uint64_t limit = UINT64_MAX) const = 0;
    /// True if the images are samples of arrays, which read() returns in the form of an image file.
    virtual bool holds_samples() const { return false; }
    /// True if read() returns this image rotated by its EXIF data, and not as it was encoded.
    /// Throws as read().
    virtual bool is_turned(std::string_view /*name*/) const { return false; }
};

}  // namespace assay
