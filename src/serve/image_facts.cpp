#include "serve/image_facts.h"

#include <cstdint>

namespace assay::serve {
namespace {

using FileBytes = std::span<const std::byte>;

std::string_view text_of(FileBytes bytes, std::size_t at, std::size_t size) {
    if (at > bytes.size() || size > bytes.size() - at) return {};
    return {reinterpret_cast<const char*>(bytes.data()) + at, size};
}

/// 0 beyond the end.
std::uint32_t byte_at(FileBytes bytes, std::size_t at) {
    return at < bytes.size() ? std::to_integer<std::uint32_t>(bytes[at]) : 0;
}

std::uint32_t big_endian(FileBytes bytes, std::size_t at, int size) {
    std::uint32_t value = 0;
    for (int i = 0; i < size; ++i) value = value << 8 | byte_at(bytes, at + i);
    return value;
}

std::uint32_t little_endian(FileBytes bytes, std::size_t at, int size) {
    std::uint32_t value = 0;
    for (int i = size; i-- > 0;) value = value << 8 | byte_at(bytes, at + i);
    return value;
}

/// Of an Exif block ("Exif\0\0", then TIFF): the orientation is there, and is not 1 (upright).
bool is_turned(FileBytes exif) {
    constexpr std::size_t tiff = 6;
    const bool little = text_of(exif, tiff, 2) == "II";
    const auto number = [&](std::size_t at, int size) {
        return little ? little_endian(exif, at, size) : big_endian(exif, at, size);
    };
    const std::size_t folder = tiff + number(tiff + 4, 4);
    const std::uint32_t entries = number(folder, 2);
    for (std::uint32_t i = 0; i < entries; ++i) {
        const std::size_t entry = folder + 2 + std::size_t{12} * i;
        if (entry + 12 > exif.size()) return false;
        constexpr std::uint32_t orientation = 0x0112;
        if (number(entry, 2) == orientation) return number(entry + 8, 2) != 1;
    }
    return false;
}

bool is_turned_jpeg(FileBytes bytes) {
    for (std::size_t at = 2; at + 4 <= bytes.size();) {
        if (byte_at(bytes, at) != 0xFF) return true;  // lost: not plain to see
        const std::uint32_t marker = byte_at(bytes, at + 1);
        if (marker == 0xFF) {  // fill
            ++at;
            continue;
        }
        constexpr std::uint32_t scan = 0xDA, end = 0xD9, app1 = 0xE1;
        if (marker == scan || marker == end) return false;
        const std::size_t size = big_endian(bytes, at + 2, 2);
        if (size < 2 || size > bytes.size() - at - 2) return true;
        constexpr std::string_view exif("Exif\0\0", 6);
        if (marker == app1 && text_of(bytes, at + 4, 6) == exif &&
            is_turned(bytes.subspan(at + 4, size - 2)))
            return true;
        at += 2 + size;
    }
    return true;
}

/// Chunks that a browser reads and the decoder does not: animations and Exif blocks.
bool has_such_chunk(FileBytes bytes, std::size_t at, bool png) {
    while (at + 8 <= bytes.size()) {
        const std::size_t size = png ? big_endian(bytes, at, 4) : little_endian(bytes, at + 4, 4);
        const std::string_view name = text_of(bytes, png ? at + 4 : at, 4);
        if (name == "acTL" || name == "eXIf" || name == "ANIM" || name == "EXIF") return true;
        if (name == "IEND") return false;
        const std::size_t whole = png ? size + 12 : size + 8 + size % 2;
        if (whole > bytes.size() - at) return false;  // the decoder has judged it
        at += whole;
    }
    return false;
}

}  // namespace

std::string_view image_type(FileBytes bytes) {
    if (text_of(bytes, 0, 3) == "\xFF\xD8\xFF") return "image/jpeg";
    if (text_of(bytes, 0, 8) == "\x89PNG\r\n\x1A\n") return "image/png";
    if (text_of(bytes, 0, 4) == "RIFF" && text_of(bytes, 8, 4) == "WEBP") return "image/webp";
    return "";
}

bool may_look_different(FileBytes bytes) {
    const std::string_view type = image_type(bytes);
    if (type == "image/jpeg") return is_turned_jpeg(bytes);
    if (type == "image/png") return has_such_chunk(bytes, 8, true);
    if (type == "image/webp") return has_such_chunk(bytes, 12, false);
    return true;
}

}  // namespace assay::serve
