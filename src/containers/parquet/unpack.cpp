#include "containers/parquet/unpack.h"

#include <brotli/decode.h>
#include <fmt/format.h>
#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

#include <cstring>

#include "containers/parquet/lz4.h"
#include "core/refuse.h"

namespace assay::parquet {
namespace {

[[noreturn]] void refuse_size(Codec codec, std::size_t size, std::size_t wanted) {
    refuse(fmt::format("its {} data decompress to {} bytes, not to the {} that it claims",
                       name_of(codec), size, wanted));
}

void unpack_snappy(std::span<const std::byte> packed, std::span<std::byte> out) {
    const auto* const from = reinterpret_cast<const char*>(packed.data());
    std::size_t size = 0;
    if (!snappy::GetUncompressedLength(from, packed.size(), &size))
        refuse("its snappy data are damaged");
    if (size != out.size()) refuse_size(Codec::snappy, size, out.size());
    if (!snappy::RawUncompress(from, packed.size(), reinterpret_cast<char*>(out.data())))
        refuse("its snappy data are damaged");
}

void unpack_zstd(std::span<const std::byte> packed, std::span<std::byte> out) {
    const std::size_t size = ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size());
    if (ZSTD_isError(size) != 0)
        refuse(fmt::format("its zstd data are damaged: {}", ZSTD_getErrorName(size)));
    if (size != out.size()) refuse_size(Codec::zstd, size, out.size());
}

struct Inflater {
    z_stream stream{};
    Inflater() {
        // Adding 32 makes zlib accept a header of gzip or of zlib.
        if (inflateInit2(&stream, 15 + 32) != Z_OK)
            throw Error(ErrorCode::out_of_memory, "not enough memory to decompress gzip");
    }
    ~Inflater() { inflateEnd(&stream); }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;
};

void unpack_gzip(std::span<const std::byte> packed, std::span<std::byte> out) {
    Inflater inflater;
    z_stream& stream = inflater.stream;
    // zlib takes no const pointer and no null pointer.
    Bytef none = 0;
    stream.next_in =
        packed.empty() ? &none : reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    stream.next_out = out.empty() ? &none : reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    for (;;) {
        const int status = inflate(&stream, Z_FINISH);
        if (status != Z_STREAM_END) refuse("its gzip data are damaged, or longer than it claims");
        if (stream.avail_in == 0) break;
        inflateReset(&stream);  // some writers put several members one after the other
    }
    if (stream.avail_out != 0) refuse_size(Codec::gzip, out.size() - stream.avail_out, out.size());
}

void unpack_brotli(std::span<const std::byte> packed, std::span<std::byte> out) {
    std::size_t size = out.size();
    std::uint8_t none = 0;
    auto* const to = out.empty() ? &none : reinterpret_cast<std::uint8_t*>(out.data());
    const auto result = BrotliDecoderDecompress(
        packed.size(), reinterpret_cast<const std::uint8_t*>(packed.data()), &size, to);
    if (result != BROTLI_DECODER_RESULT_SUCCESS)
        refuse("its brotli data are damaged, or longer than it claims");
    if (size != out.size()) refuse_size(Codec::brotli, size, out.size());
}

}  // namespace

void unpack(Codec codec, std::span<const std::byte> packed, std::span<std::byte> out) {
    // Some writers store nothing for empty data.
    if (packed.empty() && out.empty()) return;
    switch (codec) {
        case Codec::uncompressed:
            if (packed.size() != out.size()) refuse_size(codec, packed.size(), out.size());
            if (!out.empty()) std::memcpy(out.data(), packed.data(), out.size());
            return;
        case Codec::snappy:
            return unpack_snappy(packed, out);
        case Codec::gzip:
            return unpack_gzip(packed, out);
        case Codec::zstd:
            return unpack_zstd(packed, out);
        case Codec::brotli:
            return unpack_brotli(packed, out);
        case Codec::lz4_raw: {
            const std::size_t size = unpack_lz4(packed, out);
            if (size != out.size()) refuse_size(codec, size, out.size());
            return;
        }
        default:
            refuse("it is compressed with " + name_of(codec) + ", which is not supported");
    }
}

}  // namespace assay::parquet
