#include "image/exif.h"

#include <fmt/core.h>

#include <cstdint>

#include "assay/error.h"
#include "assay/image/encode.h"
#include "assay/image/image.h"
#include "core/refuse.h"
#include "image/decode_tiff.h"
#include "image/file_facts.h"

namespace assay {

int exif_orientation(std::span<const std::byte> image) {
    const FileFacts facts = facts_of_file(image);
    constexpr std::uint32_t most = 8;
    const std::uint32_t orientation = facts.orientation.value_or(1);
    if (facts.format == ImageFormat::tiff || orientation == 0 || orientation > most) return 1;
    return static_cast<int>(orientation);
}

std::optional<std::vector<std::byte>> turned_by_exif(std::span<const std::byte> image,
                                                     std::uint64_t limit) {
    const int orientation = exif_orientation(image);
    if (orientation == 1) return std::nullopt;
    std::vector<std::byte> png;
    DecodeLimits limits;
    limits.bytes = std::uint64_t{1} << 30;
    try {
        Image decoded = decode_image(image, limits);
        pixels::orient(decoded, orientation);
        png = encode_png(decoded);
    } catch (const Error& error) {
        // The next decoder of the image reports the fault.
        if (error.code() != ErrorCode::bad_input) throw;
        return std::nullopt;
    }
    if (png.size() > limit)
        refuse(fmt::format("the turned image has {} bytes; the limit is {}", png.size(), limit));
    return png;
}

}  // namespace assay
