#include "report/packed.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "assay/error.h"

namespace assay {

std::string gzipped(std::string_view text) {
    z_stream stream{};
    constexpr int with_gzip_header = 15 + 16, memory = 9;
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, with_gzip_header, memory,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        throw Error(ErrorCode::internal, "zlib cannot be initialized");
    std::string out;
    std::array<unsigned char, 1U << 16> buffer{};
    int state = Z_OK;
    // The format's sizes have 32 bits.
    constexpr std::size_t most_at_once = std::size_t{1} << 30;
    do {
        const std::size_t taken = std::min(text.size(), most_at_once);
        // zlib does not write to its input.
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
        stream.avail_in = static_cast<uInt>(taken);
        text.remove_prefix(taken);
        do {
            stream.next_out = buffer.data();
            stream.avail_out = static_cast<uInt>(buffer.size());
            state = deflate(&stream, text.empty() ? Z_FINISH : Z_NO_FLUSH);
            out.append(reinterpret_cast<const char*>(buffer.data()),
                       buffer.size() - stream.avail_out);
        } while (stream.avail_out == 0 && state != Z_STREAM_END);
    } while (!text.empty());
    deflateEnd(&stream);
    if (state != Z_STREAM_END) throw Error(ErrorCode::internal, "zlib cannot compress");
    return out;
}

std::string base64(std::span<const unsigned char> bytes) {
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t word = 0;
        for (std::size_t k = 0; k < 3; ++k)
            word = word << 8 | (k < left ? std::uint32_t{bytes[i + k]} : 0);
        for (std::size_t k = 0; k < 4; ++k)
            out.push_back(k <= left ? digits[word >> (18 - 6 * k) & 63] : '=');
    }
    return out;
}

std::string base64(std::string_view bytes) {
    return base64(std::span(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

}  // namespace assay
