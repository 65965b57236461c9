#include "image/exif.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "assay/error.h"
#include "assay/image/encode.h"
#include "assay/image/image.h"
#include "image/decode_tiff.h"

namespace assay {
namespace {

using ExifBytes = std::span<const std::byte>;

std::string_view text_in(ExifBytes bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Of `size` bytes at `at`, which must be there.
std::uint32_t number_at(ExifBytes bytes, std::size_t at, std::size_t size, bool big) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
        const std::size_t place = big ? at + i : at + size - 1 - i;
        value = value << 8 | std::to_integer<std::uint32_t>(bytes[place]);
    }
    return value;
}

/// The tag in the first directory of EXIF data, which are laid out as a TIFF file.
int orientation_in(ExifBytes exif) {
    constexpr std::string_view mark("Exif\0\0", 6);
    constexpr std::size_t entry_size = 12;
    constexpr std::uint32_t tag = 0x0112, type_short = 3;
    if (text_in(exif).starts_with(mark)) exif = exif.subspan(mark.size());
    if (exif.size() < 8) return 1;
    const bool big = text_in(exif).starts_with("MM");
    if (!big && !text_in(exif).starts_with("II")) return 1;
    const std::size_t begin = number_at(exif, 4, 4, big);
    if (begin > exif.size() || exif.size() - begin < 2) return 1;
    const std::size_t room = (exif.size() - begin - 2) / entry_size;
    const std::size_t entries = std::min<std::size_t>(number_at(exif, begin, 2, big), room);
    for (std::size_t i = 0; i < entries; ++i) {
        const std::size_t at = begin + 2 + i * entry_size;
        if (number_at(exif, at, 2, big) != tag) continue;
        if (number_at(exif, at + 2, 2, big) != type_short) return 1;
        const std::uint32_t value = number_at(exif, at + 8, 2, big);
        return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
    }
    return 1;
}

/// The segments in front of the pixels.
int orientation_of_jpeg(ExifBytes image) {
    std::size_t at = 2;
    while (image.size() - at >= 4 && image[at] == std::byte{0xff}) {
        const auto marker = std::to_integer<unsigned>(image[at + 1]);
        if (marker == 0xff) {  // a byte of filling
            ++at;
            continue;
        }
        const std::size_t size = number_at(image, at + 2, 2, true);
        if (marker == 0xda || size < 2 || size > image.size() - at - 2) return 1;
        const ExifBytes segment = image.subspan(at + 4, size - 2);
        if (marker == 0xe1 && text_in(segment).starts_with(std::string_view("Exif\0", 5)))
            return orientation_in(segment);
        at += 2 + size;
    }
    return 1;
}

/// Chunks of a size, a name and data; those of PNG end with a checksum, those of WebP are even.
int orientation_in_chunks(ExifBytes image, std::size_t at, bool png) {
    const std::size_t behind = png ? 4 : 0;
    while (image.size() - at >= 8) {
        const std::string_view name = text_in(image.subspan(at + (png ? 4 : 0), 4));
        const std::size_t size = number_at(image, at + (png ? 0 : 4), 4, png);
        at += 8;
        if (size > image.size() - at) return 1;
        if (name == (png ? "eXIf" : "EXIF")) return orientation_in(image.subspan(at, size));
        const std::size_t whole = size + behind + (png ? 0 : size % 2);
        at += std::min(whole, image.size() - at);
    }
    return 1;
}

}  // namespace

int exif_orientation(std::span<const std::byte> image) {
    const std::string_view text = text_in(image);
    if (text.starts_with("\xFF\xD8\xFF")) return orientation_of_jpeg(image);
    if (text.starts_with("\x89PNG\r\n\x1A\n")) return orientation_in_chunks(image, 8, true);
    if (text.starts_with("RIFF") &&
        text.substr(std::min<std::size_t>(8, text.size())).starts_with("WEBP"))
        return orientation_in_chunks(image, 12, false);
    return 1;
}

std::optional<std::vector<std::byte>> turned_by_exif(std::span<const std::byte> image) {
    const int orientation = exif_orientation(image);
    if (orientation == 1) return std::nullopt;
    DecodeLimits limits;
    limits.bytes = std::uint64_t{1} << 30;
    try {
        Image decoded = decode_image(image, limits);
        pixels::orient(decoded, orientation);
        return encode_png(decoded);
    } catch (const Error& error) {
        // Whoever decodes it next says what is wrong with it.
        if (error.code() != ErrorCode::bad_input) throw;
        return std::nullopt;
    }
}

}  // namespace assay
