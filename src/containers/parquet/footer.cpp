#include "containers/parquet/footer.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "containers/at_place.h"
#include "containers/parquet/schema.h"
#include "containers/parquet/thrift.h"
#include "core/refuse.h"

namespace assay::parquet {
namespace {

using Type = ThriftReader::Type;
using Field = ThriftReader::Field;

constexpr std::size_t most_columns = 10'000;
constexpr std::uint64_t most_rows = std::uint64_t{1} << 24;

std::uint64_t row_count(std::int64_t rows) {
    if (rows < 0 || static_cast<std::uint64_t>(rows) > most_rows)
        refuse(fmt::format("{} rows are claimed; the limit is {}", rows, most_rows));
    return static_cast<std::uint64_t>(rows);
}

/// Reads the value if the key is "huggingface".
void read_key_value(ThriftReader& in, std::string& huggingface) {
    std::string_view key, value;
    in.structure([&](const Field& field) {
        if (field.id == 1) key = in.text(field);
        if (field.id == 2) value = in.text(field);
    });
    if (key == "huggingface") huggingface = value;
}

struct ChunkClaims {
    std::optional<std::int32_t> type, codec;
    std::optional<std::int64_t> values, size, data_page, dictionary_page;
    bool elsewhere = false, encrypted = false, has_metadata = false;
};

void read_chunk_metadata(ThriftReader& in, ChunkClaims& claims) {
    claims.has_metadata = true;
    in.structure([&](const Field& field) {
        switch (field.id) {
            case 1:
                claims.type = in.integer32(field);
                break;
            case 4:
                claims.codec = in.integer32(field);
                break;
            case 5:
                claims.values = in.integer(field);
                break;
            case 7:
                claims.size = in.integer(field);
                break;
            case 9:
                claims.data_page = in.integer(field);
                break;
            case 11:
                claims.dictionary_page = in.integer(field);
                break;
            default:
                break;
        }
    });
}

ChunkClaims read_chunk(ThriftReader& in) {
    ChunkClaims claims;
    in.structure([&](const Field& field) {
        if (field.id == 1) claims.elsewhere = !in.text(field).empty();
        if (field.id == 8 || field.id == 9) claims.encrypted = true;
        if (field.id == 3) {
            in.expect(field, Type::structure);
            read_chunk_metadata(in, claims);
        }
    });
    return claims;
}

bool is_read(Codec codec) {
    return codec == Codec::uncompressed || codec == Codec::snappy || codec == Codec::gzip ||
           codec == Codec::zstd || codec == Codec::brotli || codec == Codec::lz4_raw;
}

/// `rows` is the number of rows in the group, if it is known yet.
Chunk checked_chunk(const ChunkClaims& claims, const Column& column, std::uint64_t data_end) {
    if (claims.encrypted) refuse("it is encrypted, which is not supported");
    if (claims.elsewhere) refuse("its values are in another file, which is not supported");
    if (!claims.has_metadata || !claims.type || !claims.codec || !claims.values || !claims.size ||
        !claims.data_page)
        refuse("damaged metadata: a required field is missing");
    if (static_cast<Physical>(*claims.type) != column.type) {
        refuse(fmt::format("damaged metadata: of type {}, the schema says {}",
                           name_of(static_cast<Physical>(*claims.type)), name_of(column.type)));
    }
    const auto codec = static_cast<Codec>(*claims.codec);
    if (!is_read(codec)) {
        refuse(
            fmt::format("it is compressed with {}; supported: uncompressed, snappy, zstd, gzip, "
                        "brotli and lz4_raw{}",
                        name_of(codec), rewriting_command()));
    }
    // Some writers put 0 if there is no dictionary.
    const std::int64_t start = claims.dictionary_page.value_or(0) > 0
                                   ? std::min(*claims.dictionary_page, *claims.data_page)
                                   : *claims.data_page;
    const auto from = static_cast<std::uint64_t>(start);
    const auto size = static_cast<std::uint64_t>(*claims.size);
    if (start < 4 || *claims.size < 0 || from > data_end || size > data_end - from) {
        refuse(fmt::format("it claims {} bytes from byte {}; values end at byte {}", *claims.size,
                           start, data_end));
    }
    return {codec, from, size};
}

RowGroup read_row_group(ThriftReader& in, const Footer& footer, std::span<const std::size_t> wanted,
                        std::uint64_t data_end) {
    RowGroup group;
    group.chunks.resize(wanted.size());
    std::vector<std::int64_t> values(wanted.size(), 0);
    bool has_columns = false, has_rows = false;
    in.structure([&](const Field& field) {
        if (field.id == 3) {
            group.rows = row_count(in.integer(field));
            has_rows = true;
        }
        if (field.id != 1) return;
        has_columns = true;
        std::size_t n = 0;
        in.list(field, Type::structure, [&](std::size_t i) {
            const ChunkClaims claims = read_chunk(in);
            n = i + 1;
            const auto at = std::find(wanted.begin(), wanted.end(), i);
            if (at == wanted.end()) return;
            const auto place = static_cast<std::size_t>(at - wanted.begin());
            at_place(
                [&] { return fmt::format("column `{}`", footer.columns[i].path); },
                [&] { group.chunks[place] = checked_chunk(claims, footer.columns[i], data_end); });
            values[place] = *claims.values;
        });
        if (n != footer.columns.size()) {
            refuse(fmt::format("damaged metadata: it has {} columns, the schema {}", n,
                               footer.columns.size()));
        }
    });
    if (!has_columns || !has_rows) refuse("damaged metadata: a required field is missing");
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const Column& column = footer.columns[wanted[i]];
        if (!column.repeated && values[i] != static_cast<std::int64_t>(group.rows)) {
            refuse(fmt::format("damaged metadata: column `{}` has {} values for {} rows",
                               column.path, values[i], group.rows));
        }
    }
    return group;
}

}  // namespace

Footer parse_footer(std::span<const std::byte> metadata) {
    Footer footer;
    std::vector<SchemaElement> elements;
    ThriftReader in(metadata);
    in.structure([&](const Field& field) {
        switch (field.id) {
            case 2:
                in.list(field, Type::structure, [&](std::size_t i) {
                    if (i == most_columns)
                        refuse(fmt::format("the schema has more than {} elements", most_columns));
                    elements.push_back(read_element(in));
                });
                break;
            case 3:
                footer.rows = row_count(in.integer(field));
                break;
            case 5:
                in.list(field, Type::structure,
                        [&](std::size_t) { read_key_value(in, footer.huggingface); });
                break;
            case 8:
                refuse("its columns are encrypted, which is not supported");
            default:
                break;
        }
    });
    footer.columns = leaves_of(elements);
    return footer;
}

std::vector<RowGroup> parse_row_groups(std::span<const std::byte> metadata, const Footer& footer,
                                       std::span<const std::size_t> wanted,
                                       std::uint64_t data_end) {
    std::vector<RowGroup> groups;
    std::uint64_t rows = 0;
    ThriftReader in(metadata);
    in.structure([&](const Field& field) {
        if (field.id != 4) return;
        in.list(field, Type::structure, [&](std::size_t i) {
            at_place([&] { return fmt::format("row group {}", i); },
                     [&] { groups.push_back(read_row_group(in, footer, wanted, data_end)); });
            rows += groups.back().rows;
            if (rows > footer.rows)
                refuse("damaged metadata: the row groups have more rows than the file");
        });
    });
    if (rows != footer.rows) {
        refuse(fmt::format("damaged metadata: the row groups have {} rows, the file {}", rows,
                           footer.rows));
    }
    return groups;
}

}  // namespace assay::parquet
