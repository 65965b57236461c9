#include "containers/parquet/format.h"

#include <array>

namespace assay::parquet {
namespace {

template <std::size_t N>
std::string numbered_name(const std::array<std::string_view, N>& names, std::int32_t number) {
    if (number >= 0 && static_cast<std::size_t>(number) < N)
        return std::string(names[static_cast<std::size_t>(number)]);
    return "number " + std::to_string(number);
}

constexpr std::array<std::string_view, 8> physical_names = {
    "boolean", "int32", "int64", "int96", "float", "double", "byte_array", "fixed_len_byte_array"};
constexpr std::array<std::string_view, 8> codec_names = {
    "uncompressed", "snappy", "gzip", "lzo", "brotli", "lz4", "zstd", "lz4_raw"};
constexpr std::array<std::string_view, 10> encoding_names = {"plain",
                                                             "number 1",
                                                             "plain_dictionary",
                                                             "rle",
                                                             "bit_packed",
                                                             "delta_binary_packed",
                                                             "delta_length_byte_array",
                                                             "delta_byte_array",
                                                             "rle_dictionary",
                                                             "byte_stream_split"};

}  // namespace

std::size_t width_of(const Column& column) {
    switch (column.type) {
        case Physical::boolean:
            return 1;
        case Physical::int32:
        case Physical::float32:
            return 4;
        case Physical::int96:
            return 12;
        case Physical::fixed_bytes:
            return column.length;
        case Physical::byte_array:
            return 0;
        default:
            return 8;
    }
}

std::string rewriting_command() {
    return "; rewrite it with pyarrow: python3 -c \"import pyarrow.parquet as pq; "
           "pq.write_table(pq.read_table('OLD.parquet'), 'NEW.parquet', row_group_size=100)\"";
}

std::string name_of(Physical type) {
    return numbered_name(physical_names, static_cast<std::int32_t>(type));
}

std::string name_of(Codec codec) {
    return numbered_name(codec_names, static_cast<std::int32_t>(codec));
}

std::string name_of(Encoding encoding) {
    return numbered_name(encoding_names, static_cast<std::int32_t>(encoding));
}

}  // namespace assay::parquet
