// Zip files for tests, written byte for byte.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <vector>

#include "deflated.h"

namespace assay {

inline std::string little_end(std::uint64_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>((value >> (8 * i)) & 0xff);
    return text;
}

/// False values for the header of an entry.
struct ZipClaims {
    bool deflate = false;
    bool zip64 = false;     ///< sizes and offset in the extra field
    bool streamed = false;  ///< sizes not in its own header, but after its bytes
    int flags = 0;
    int method = -1;
    std::int64_t size = -1, crc = -1;
};

class ZipWriter {
public:
    ZipWriter& add(const std::string& name, const std::string& bytes, const ZipClaims& c = {}) {
        const std::string packed = c.deflate ? deflated(bytes, -15, 9) : bytes;
        const auto real = crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
        const std::uint64_t crc = c.crc >= 0 ? static_cast<std::uint64_t>(c.crc) : real;
        const std::uint64_t size = c.size >= 0 ? static_cast<std::uint64_t>(c.size) : bytes.size();
        const int method = c.method >= 0 ? c.method : c.deflate ? 8 : 0;
        const int flags = c.flags | (c.streamed ? 8 : 0);
        const std::uint64_t header = file_.size();
        const auto sizes = [&](bool here) {
            if (!here) return std::string(12, '\0');
            return little_end(crc, 4) + (c.zip64
                                             ? std::string(8, '\xff')
                                             : little_end(packed.size(), 4) + little_end(size, 4));
        };
        const std::string numbers = little_end(size, 8) + little_end(packed.size(), 8);
        // Another extra field comes first.
        const std::string other = little_end(0x5455, 2) + little_end(1, 2) + "x";
        const std::string local_extra =
            other + (c.zip64 ? little_end(1, 2) + little_end(16, 2) + numbers : "");
        file_ += "PK\x03\x04" + little_end(45, 2) +
                 little_end(static_cast<std::uint64_t>(flags), 2) +
                 little_end(static_cast<std::uint64_t>(method), 2) + std::string(4, '\0') +
                 sizes(!c.streamed) + little_end(name.size(), 2) +
                 little_end(local_extra.size(), 2) + name + local_extra + packed;
        if (c.streamed) file_ += "PK\x07\x08" + sizes(true);
        const std::string extra =
            other +
            (c.zip64 ? little_end(1, 2) + little_end(24, 2) + numbers + little_end(header, 8) : "");
        directory_ += "PK\x01\x02" + little_end(45, 2) + little_end(45, 2) +
                      little_end(static_cast<std::uint64_t>(flags), 2) +
                      little_end(static_cast<std::uint64_t>(method), 2) + std::string(4, '\0') +
                      sizes(true) + little_end(name.size(), 2) + little_end(extra.size(), 2) +
                      little_end(3, 2) + std::string(8, '\0') +
                      (c.zip64 ? std::string(4, '\xff') : little_end(header, 4)) + name + extra +
                      "say";
        ++entries_;
        return *this;
    }

    /// `before`: bytes of another file at the beginning, which the offsets do not count.
    std::string bytes(bool zip64 = false, const std::string& comment = "",
                      const std::string& before = "") const {
        std::string all = before + file_ + directory_;
        const std::string place = little_end(directory_.size(), 8) + little_end(file_.size(), 8);
        if (zip64) {
            const std::uint64_t end = all.size();
            all += "PK\x06\x06" + little_end(44, 8) + little_end(45, 2) + little_end(45, 2) +
                   std::string(8, '\0') + little_end(entries_, 8) + little_end(entries_, 8) +
                   place + "PK\x06\x07" + std::string(4, '\0') + little_end(end, 8) +
                   little_end(1, 4);
        }
        all += "PK\x05\x06" + std::string(4, '\0');
        all += zip64 ? std::string(12, static_cast<char>(0xff))
                     : little_end(entries_, 2) + little_end(entries_, 2) +
                           little_end(directory_.size(), 4) + little_end(file_.size(), 4);
        return all + little_end(comment.size(), 2) + comment;
    }

private:
    std::string file_, directory_;
    std::uint64_t entries_ = 0;
};

}  // namespace assay
