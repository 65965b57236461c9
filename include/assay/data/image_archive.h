// Images that are not files of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace assay {

/// Holds the encoded images of a data set by name: the rows of tables, the members of archives.
/// Const functions may be called from many threads.
class ImageArchive {
public:
    virtual ~ImageArchive() = default;

    /// The bytes of the image that a data set calls `name` (Dataset::paths, or its id), as they
    /// were encoded. Throws bad_input (no such image, damaged, more than `limit` bytes; the message
    /// names file and place) or io. Cost: a copy at least; a block of the archive at most.
    virtual std::vector<std::byte> read(std::string_view name,
                                        std::uint64_t limit = UINT64_MAX) const = 0;
    /// The images are samples of arrays, to which read() gives the form of an image file.
    virtual bool holds_samples() const { return false; }
    /// Whether read() gives this image turned by its EXIF data, and not as it was encoded. Throws
    /// as read().
    virtual bool is_turned(std::string_view /*name*/) const { return false; }
};

}  // namespace assay
