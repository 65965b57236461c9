#include "containers/parquet/page_header.h"

#include <fmt/format.h>

#include "containers/parquet/thrift.h"
#include "core/refuse.h"

namespace assay::parquet {
namespace {

using Type = ThriftReader::Type;
using Field = ThriftReader::Field;
using Kind = PageHeader::Kind;

std::uint32_t checked_size(std::int32_t size, std::uint32_t most, std::string_view what) {
    if (size < 0 || static_cast<std::uint32_t>(size) > most)
        refuse(fmt::format("the page claims {} {}; the limit is {}", size, what, most));
    return static_cast<std::uint32_t>(size);
}

/// Reads the fields that have the same numbers in all kinds of page headers; not the encoding.
void read_page_kind(ThriftReader& in, const Field& outer, PageHeader& header) {
    in.expect(outer, Type::structure);
    const bool second = header.kind == Kind::data_v2;
    const std::int32_t encoding_field = second ? 4 : 2;
    bool has_values = false, has_encoding = false;
    in.structure([&](const Field& field) {
        if (field.id == 1) {
            header.values = checked_size(in.integer32(field), most_page_values, "values");
            has_values = true;
        } else if (field.id == encoding_field) {
            header.encoding = static_cast<Encoding>(in.integer32(field));
            has_encoding = true;
        } else if (header.kind == Kind::data && field.id == 3) {
            const auto levels = static_cast<Encoding>(in.integer32(field));
            if (levels != Encoding::rle)
                refuse("its definition levels are encoded as " + name_of(levels) +
                       "; only rle is supported");
        } else if (second && field.id == 5) {
            header.level_bytes = checked_size(in.integer32(field), largest_page, "bytes of levels");
        } else if (second && field.id == 6) {
            if (in.integer32(field) != 0) refuse("it has repetition levels: it is part of a list");
        } else if (second && field.id == 7) {
            header.packed = in.boolean(field);
        }
    });
    if (!has_values || !has_encoding) refuse("damaged page header: a field is missing");
}

bool is_read(const PageHeader& header) {
    switch (header.encoding) {
        case Encoding::plain:
        case Encoding::plain_dictionary:
        case Encoding::rle_dictionary:
            return true;
        case Encoding::rle:
        case Encoding::delta_binary_packed:
        case Encoding::delta_length_byte_array:
        case Encoding::delta_byte_array:
        case Encoding::byte_stream_split:
            return header.kind != Kind::dictionary;
        default:
            return header.kind == Kind::other;
    }
}

}  // namespace

std::pair<PageHeader, std::size_t> parse_page_header(std::span<const std::byte> bytes) {
    PageHeader header;
    bool has_type = false, has_size = false, has_packed_size = false, has_kind = false;
    std::int32_t type = 0;
    ThriftReader in(bytes);
    in.structure([&](const Field& field) {
        switch (field.id) {
            case 1:
                type = in.integer32(field);
                has_type = true;
                break;
            case 2:
                header.size = checked_size(in.integer32(field), largest_page, "bytes");
                has_size = true;
                break;
            case 3:
                header.packed_size =
                    checked_size(in.integer32(field), largest_page, "packed bytes");
                has_packed_size = true;
                break;
            case 4:
                header.crc = static_cast<std::uint32_t>(in.integer32(field));
                break;
            case 5:
            case 7:
            case 8:
                header.kind = field.id == 5   ? Kind::data
                              : field.id == 7 ? Kind::dictionary
                                              : Kind::data_v2;
                if (has_kind) refuse("damaged page header: it is of two kinds");
                has_kind = true;
                read_page_kind(in, field, header);
                break;
            default:
                break;
        }
    });
    if (!has_type || !has_size || !has_packed_size)
        refuse("damaged page header: a field is missing");
    const Kind claimed = type == 0   ? Kind::data
                         : type == 2 ? Kind::dictionary
                         : type == 3 ? Kind::data_v2
                                     : Kind::other;
    if (claimed != header.kind) refuse(fmt::format("damaged page header: page type {}", type));
    if (!is_read(header)) {
        refuse(fmt::format("the page is encoded as {}, which is not supported{}",
                           name_of(header.encoding), rewriting_command()));
    }
    return {header, in.position()};
}

}  // namespace assay::parquet
