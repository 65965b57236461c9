// The terms of the Parquet format (parquet.thrift of apache/parquet-format) that Assay reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace assay::parquet {

enum class Physical : std::int32_t {
    boolean = 0,
    int32 = 1,
    int64 = 2,
    int96 = 3,
    float32 = 4,
    float64 = 5,
    byte_array = 6,
    fixed_bytes = 7,
};

enum class Codec : std::int32_t {
    uncompressed = 0,
    snappy = 1,
    gzip = 2,
    lzo = 3,
    brotli = 4,
    lz4 = 5,
    zstd = 6,
    lz4_raw = 7,
};

enum class Encoding : std::int32_t {
    plain = 0,
    plain_dictionary = 2,
    rle = 3,
    bit_packed = 4,
    delta_binary_packed = 5,
    delta_length_byte_array = 6,
    delta_byte_array = 7,
    rle_dictionary = 8,
    byte_stream_split = 9,
};

/// The logical meaning of a column's values, in addition to their physical type.
enum class Meaning : std::uint8_t {
    none,
    text,
    unsigned_integer,
    decimal,
    float16,
    date,
    time,
    timestamp,
    other,
};

/// The specification's name in lower case, or "number 42" for an unknown value.
std::string name_of(Physical type);
std::string name_of(Codec codec);
std::string name_of(Encoding encoding);

/// A leaf of the schema, which has values.
struct Column {
    std::string path;  ///< "image.bytes"
    Physical type = Physical::boolean;
    int max_definition = 0;  ///< levels: how many of the column and its parents may be null
    bool repeated = false;   ///< true if it is inside a list
    std::size_t number = 0;  ///< index among the leaves
    bool nested = false;     ///< true if it is inside a structure or a list
    Meaning meaning = Meaning::none;
    int scale = 0;             ///< for a decimal: the number of digits after the point
    std::uint32_t length = 0;  ///< number of bytes per value of fixed_bytes
};

/// The number of bytes of a decoded value, or 0 if it varies.
std::size_t width_of(const Column& column);

/// "; pyarrow writes the file again: ...": a command for files that are not supported.
std::string rewriting_command();

/// The values of a column in a row group: possibly a dictionary page, then data pages.
struct Chunk {
    Codec codec = Codec::uncompressed;
    std::uint64_t start = 0;  ///< position in the file
    std::uint64_t size = 0;   ///< bytes of the page headers and packed pages
};

struct PageHeader {
    enum class Kind : std::uint8_t { data, data_v2, dictionary, other };
    Kind kind = Kind::other;
    bool packed = true;  ///< true if the codec compressed it; a page of version 2 may be
                         ///< uncompressed
    Encoding encoding = Encoding::plain;
    std::uint32_t size = 0;            ///< unpacked bytes, including levels
    std::uint32_t packed_size = 0;     ///< position in the file, after the header
    std::uint32_t values = 0;          ///< nulls too
    std::uint32_t level_bytes = 0;     ///< size of the definition levels of a page of version 2
    std::optional<std::uint32_t> crc;  ///< checksum of the packed bytes
};

/// The largest page size that is accepted, because hostile files claim more than memory holds.
inline constexpr std::uint32_t largest_page = 1U << 30;
inline constexpr std::uint32_t most_page_values = 1U << 22;

}  // namespace assay::parquet
