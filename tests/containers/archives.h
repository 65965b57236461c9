// Shared by the tests of npy, npz and zip files.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace assay {

inline const std::filesystem::path archive_fixtures =
    std::filesystem::path(ASSAY_SOURCE_DIR) / "tests/containers/fixtures";

inline std::span<const std::byte> bytes_of(const std::string& text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

inline std::string little(std::uint64_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>((value >> (8 * i)) & 0xff);
    return text;
}

/// An entry of a zip file.
struct ZipPiece {
    std::string name;
    std::string packed;
    std::uint64_t size;
    int method;
    std::uint32_t crc;
    int flags = 0;
};

/// A zip file with exactly these fields, even if they are wrong. `overlapping`: an entry with the
/// contents of the previous one uses the same bytes (their names must have the same length).
inline std::string archive_of(const std::vector<ZipPiece>& parts, bool overlapping = false) {
    std::string body;
    std::string directory;
    std::size_t place = 0;
    const ZipPiece* before = nullptr;
    for (const ZipPiece& p : parts) {
        const bool again = overlapping && before != nullptr && before->packed == p.packed;
        if (!again) place = body.size();
        before = &p;
        const std::string common = little(20, 2) + little(p.flags, 2) + little(p.method, 2) +
                                   little(0, 4) + little(p.crc, 4) + little(p.packed.size(), 4) +
                                   little(p.size, 4) + little(p.name.size(), 2) + little(0, 2);
        directory += "PK\x01\x02" + little(20, 2) + common + little(0, 2) + little(0, 4) +
                     little(0, 4) + little(place, 4);
        directory += p.name;
        if (again) continue;
        body += "PK\x03\x04" + common + p.name + p.packed;
    }
    return body + directory + "PK\x05\x06" + little(0, 4) + little(parts.size(), 2) +
           little(parts.size(), 2) + little(directory.size(), 4) + little(body.size(), 4) +
           little(0, 2);
}

inline std::uint32_t crc_of(const std::string& text) {
    return static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size())));
}

}  // namespace assay
