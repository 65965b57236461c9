// Deflated bytes, for tests.
#pragma once

#include <zlib.h>

#include <string>

namespace assay {

/// The bytes in the format of gzip (window bits 31), zlib (15), or zip files (-15).
inline std::string deflated(const std::string& bytes, int window_bits, int level = 6) {
    z_stream stream{};
    deflateInit2(&stream, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
    std::string out(deflateBound(&stream, bytes.size()) + 32, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

}  // namespace assay
