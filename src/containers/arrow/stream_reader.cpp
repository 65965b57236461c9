#include "containers/arrow/stream_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>

#include "containers/arrow/flat_reader.h"
#include "containers/little_endian.h"
#include "core/refuse.h"
#include "core/text.h"

namespace assay::arrow {
namespace {

constexpr std::uint64_t most_message_bytes = std::uint64_t{64} << 20;
constexpr std::size_t most_stream_fields = 10'000;
constexpr std::size_t most_stream_batches = std::size_t{1} << 20;
constexpr std::uint64_t message_head = 8;  // a mark and the length of the metadata
constexpr std::size_t bytes_of_block = 24;
constexpr std::string_view magic_of_files = "ARROW1";

/// Numbers of Type in Schema.fbs.
enum class ArrowType : std::uint64_t {
    null = 1,
    integer = 2,
    real = 3,
    binary = 4,
    text = 5,
    boolean = 6,
    decimal = 7,
    date = 8,
    time = 9,
    timestamp = 10,
    interval = 11,
    list = 12,
    structure = 13,
    fixed_binary = 15,
    fixed_list = 16,
    map = 17,
    duration = 18,
    large_binary = 19,
    large_text = 20,
    large_list = 21,
    run_ends = 22,
    binary_view = 23,
    text_view = 24,
    list_view = 25,
    large_list_view = 26
};

/// The number of buffers that an array of this type has, without its children.
std::size_t buffers_of(ArrowType type, const std::string& name) {
    switch (type) {
        case ArrowType::null:
        case ArrowType::run_ends:
            return 0;
        case ArrowType::structure:
        case ArrowType::fixed_list:
            return 1;
        case ArrowType::binary:
        case ArrowType::text:
        case ArrowType::large_binary:
        case ArrowType::large_text:
        case ArrowType::list_view:
        case ArrowType::large_list_view:
            return 3;
        case ArrowType::integer:
        case ArrowType::real:
        case ArrowType::boolean:
        case ArrowType::decimal:
        case ArrowType::date:
        case ArrowType::time:
        case ArrowType::timestamp:
        case ArrowType::interval:
        case ArrowType::list:
        case ArrowType::fixed_binary:
        case ArrowType::map:
        case ArrowType::duration:
        case ArrowType::large_list:
        case ArrowType::binary_view:  // and as many buffers more as the batch says
        case ArrowType::text_view:
            return 2;
        default:
            refuse(
                fmt::format("the column `{}` has the Arrow type {}, whose layout is not supported",
                            shortened(name), static_cast<std::uint64_t>(type)));
    }
}

std::string called(ArrowType type) {
    switch (type) {
        case ArrowType::integer:
            return "integers";
        case ArrowType::real:
            return "real numbers";
        case ArrowType::boolean:
            return "true and false";
        case ArrowType::list:
        case ArrowType::fixed_list:
        case ArrowType::large_list:
        case ArrowType::list_view:
        case ArrowType::large_list_view:
            return "lists";
        case ArrowType::structure:
            return "structures";
        case ArrowType::text:
        case ArrowType::large_text:
        case ArrowType::text_view:
            return "texts";
        case ArrowType::binary:
        case ArrowType::large_binary:
        case ArrowType::fixed_binary:
        case ArrowType::binary_view:
            return "bytes";
        case ArrowType::decimal:
            return "decimals";
        case ArrowType::date:
            return "dates";
        case ArrowType::time:
            return "times";
        case ArrowType::timestamp:
            return "timestamps";
        case ArrowType::duration:
            return "durations";
        default:
            return fmt::format("Arrow type {}", static_cast<std::uint64_t>(type));
    }
}

using Kind = StreamField::Type;

/// Fills in what a column of numbers or texts needs. `type` is the table of its properties.
void take_type(StreamField& field, ArrowType number, const FlatReader& type) {
    enum : std::size_t { precision = 0, int_bits = 0, int_sign = 1, scale = 1, decimal_bits = 2 };
    switch (number) {
        case ArrowType::integer:
            field.width = static_cast<std::size_t>(type.number(int_bits, 4)) / 8;
            field.is_signed = type.number(int_sign, 1) != 0;
            if (field.width == 1 || field.width == 2 || field.width == 4 || field.width == 8)
                field.type = Kind::integer;
            return;
        case ArrowType::real: {
            const std::uint64_t size = type.number(precision, 2);  // half, single, double
            field.width = std::size_t{2} << std::min<std::uint64_t>(size, 3);
            if (size < 3) field.type = Kind::real;
            return;
        }
        case ArrowType::decimal: {
            const std::uint64_t digits_after = type.number(scale, 4);
            field.width = static_cast<std::size_t>(type.number(decimal_bits, 4, 128)) / 8;
            constexpr std::uint64_t most_digits = 76;
            field.scale = static_cast<int>(std::min(digits_after, most_digits));
            const bool whole =
                field.width == 4 || field.width == 8 || field.width == 16 || field.width == 32;
            if (whole && digits_after <= most_digits) field.type = Kind::decimal;
            return;
        }
        default:
            return;
    }
}

std::map<std::string, std::string> metadata_of(const FlatReader& table, std::size_t field) {
    std::map<std::string, std::string> all;
    std::uint64_t bytes = 0;
    for (const FlatReader& pair : table.tables(field)) {
        std::string key = pair.text(0), value = pair.text(1);
        bytes += key.size() + value.size();
        if (bytes > most_message_bytes) refuse("its metadata are damaged: texts overlap");
        all[std::move(key)] = std::move(value);
    }
    return all;
}

bool is_magic_at(const ByteSource& file, std::uint64_t at) {
    std::array<std::byte, magic_of_files.size()> bytes{};
    file.read(at, bytes);
    return std::memcmp(bytes.data(), magic_of_files.data(), bytes.size()) == 0;
}

/// Throws bad_input if the buffer is shorter.
std::uint64_t element_place(const StreamBatch& batch, std::size_t buffer, std::uint64_t element,
                            std::size_t size) {
    if (buffer >= batch.buffers.size() || element >= batch.buffers[buffer].size / size)
        refuse("it is damaged: a column is shorter than its rows");
    return batch.buffers[buffer].begin + element * size;
}

StreamCodec codec_of(const FlatReader& table) {
    enum : std::size_t { compression = 3 };
    enum : std::size_t { codec, method };
    const auto packed = table.table(compression);
    if (!packed) return StreamCodec::none;
    const std::uint64_t number = packed->number(codec, 1);
    if (number > 1 || packed->number(method, 1) != 0)
        refuse(
            fmt::format("its batches are compressed in a way that is not supported (codec {}); "
                        "lz4 and zstd are read",
                        number));
    return number == 0 ? StreamCodec::lz4 : StreamCodec::zstd;
}

StreamBatch stream_batch(const FlatReader& table, std::uint64_t body, std::uint64_t body_bytes,
                         const StreamReader::Numbering& numbering) {
    enum : std::size_t { length, nodes, buffers, compression, counts_of_views };
    StreamBatch batch;
    batch.codec = codec_of(table);
    batch.rows = table.number(length, 8);
    constexpr std::uint64_t most_rows = std::uint64_t{1} << 31;
    if (batch.rows > most_rows) refuse("it is damaged: a batch has more rows than are possible");
    for (const auto& [rows, nulls] : table.pairs(nodes)) batch.nulls.push_back(nulls);
    const auto places = table.pairs(buffers);
    const std::vector<std::uint64_t> counts = table.numbers(counts_of_views);
    std::uint64_t of_views = 0;
    for (const std::uint64_t count : counts)
        of_views += std::min<std::uint64_t>(count, places.size() + 1);
    if (batch.nulls.size() != numbering.nodes || counts.size() != numbering.views.size() ||
        places.size() != numbering.buffers + of_views)
        refuse("it is damaged: a batch has different columns than the schema");
    std::size_t next = 0;
    const auto take = [&] {
        const auto& [offset, size] = places[next++];
        if (offset > body_bytes || size > body_bytes - offset)
            refuse("it is damaged: a column lies outside its batch");
        return StreamBuffer{body + offset, size};
    };
    // Buffers of views follow those of their column. They are put aside, so that a column's first
    // buffer has the same number in all batches.
    for (std::size_t view = 0; view < counts.size(); ++view) {
        while (batch.buffers.size() < numbering.views[view]) batch.buffers.push_back(take());
        batch.views.emplace_back();
        for (std::uint64_t i = 0; i < counts[view]; ++i) batch.views.back().push_back(take());
    }
    while (batch.buffers.size() < numbering.buffers) batch.buffers.push_back(take());
    return batch;
}

}  // namespace

StreamField StreamReader::field_of(const FlatReader& table, Numbering& next, int depth,
                                   bool is_values) {
    constexpr int deepest = 32;
    constexpr std::size_t longest_name = 4096;
    enum : std::size_t { name, nullable, type_type, type, dictionary, children };
    enum : std::size_t { dictionary_id, index_type };
    StreamField field;
    field.name = table.text(name);
    if (depth > deepest || next.nodes == most_stream_fields)
        refuse("it has too many columns, or columns nested too deep");
    if (field.name.size() > longest_name)
        refuse("the name of a column is longer than is supported");
    const auto number = static_cast<ArrowType>(table.number(type_type, 1));
    const auto encoded = is_values ? std::nullopt : table.table(dictionary);
    field.node = next.nodes++;
    field.buffer = next.buffers;
    next.buffers += encoded ? 2 : buffers_of(number, field.name);
    if (encoded) {
        field.called = "a dictionary";
        field.type = Kind::dictionary;
        field.width = 4;
        if (const auto index = encoded->table(index_type)) {
            take_type(field, ArrowType::integer, *index);
            if (field.type != Kind::integer) refuse("it is damaged: a dictionary has no integers");
            field.type = Kind::dictionary;
        }
        field.dictionary = encoded->number(dictionary_id, 8);
        if (!values_.contains(field.dictionary)) {
            if (values_.size() == most_stream_fields) refuse("it has too many dictionaries");
            Numbering of_values;
            StreamField values = field_of(table, of_values, depth + 1, true);
            values_.emplace(field.dictionary, Values{std::move(values), std::move(of_values)});
        }
        return field;
    }
    field.called = called(number);
    if (number == ArrowType::text_view || number == ArrowType::binary_view) {
        field.view = next.views.size();
        next.views.push_back(next.buffers);
        if (number == ArrowType::text_view) field.type = Kind::view;
    }
    for (const FlatReader& child : table.tables(children))
        field.children.push_back(field_of(child, next, depth + 1, false));
    if (const auto of_type = table.table(type)) take_type(field, number, *of_type);
    if (number == ArrowType::null) {
        field.type = Kind::null;
    } else if (number == ArrowType::boolean) {
        field.type = Kind::boolean;
    } else if (number == ArrowType::text || number == ArrowType::large_text) {
        field.type = Kind::text;
        field.width = number == ArrowType::text ? 4 : 8;
    } else if (number == ArrowType::binary || number == ArrowType::large_binary) {
        field.type = Kind::binary;
        field.width = number == ArrowType::binary ? 4 : 8;
    } else if (number == ArrowType::structure) {
        field.type = Kind::structure;
    }
    return field;
}

StreamReader StreamReader::open(const ByteSource& file) {
    StreamReader out;
    if (file.size() >= 2 * magic_of_files.size() && is_magic_at(file, 0)) {
        out.read_file(file);
    } else {
        out.read_stream(file);
    }
    return out;
}

void StreamReader::read_stream(const ByteSource& file) {
    for (std::uint64_t at = 0;;) {
        if (file.size() - at < message_head) {
            if (at == file.size() && has_schema_) return;  // the stream ends without an end mark
            refuse(has_schema_ ? "it was cut off" : "it is not an Arrow stream");
        }
        const std::uint64_t next = take_message(file, at);
        if (next == at) return;
        at = next;
    }
}

/// The footer has the schema again, and the places of the batches. Only pyarrow's files begin like
/// a stream: in those of polars no message has the schema.
void StreamReader::read_file(const ByteSource& file) {
    enum : std::size_t { version, schema, dictionaries, batches };
    constexpr std::uint64_t length_bytes = 4;
    const std::uint64_t after = length_bytes + magic_of_files.size();
    if (file.size() < 2 * after || !is_magic_at(file, file.size() - magic_of_files.size()))
        refuse("it was cut off");
    const std::uint64_t end = file.size() - after, size = little_endian(file, end, length_bytes);
    if (size > most_message_bytes || size > end)
        refuse("it is damaged: its footer is longer than the file");
    std::vector<std::byte> bytes(static_cast<std::size_t>(size));
    file.read(end - size, bytes);
    const FlatReader footer = FlatReader::root(bytes);
    const auto columns = footer.table(schema);
    if (!columns) refuse("its metadata are damaged: a footer without a schema");
    take_schema(*columns);
    for (const std::size_t list : {std::size_t{dictionaries}, std::size_t{batches}}) {
        std::uint64_t least = magic_of_files.size();
        for (const std::uint64_t at : footer.firsts(list, bytes_of_block)) {
            // So that a damaged footer does not repeat a batch.
            if (at < least || at > end || end - at < message_head)
                refuse("it is damaged: its footer has batches at places that are impossible");
            least = take_message(file, at);
            if (least == at) refuse("it is damaged: its footer leads to no batch");
        }
    }
}

void StreamReader::take_schema(const FlatReader& schema) {
    enum : std::size_t { endianness, fields, metadata };
    has_schema_ = true;
    if (schema.number(endianness, 2) != 0) refuse("it is big-endian, which is not supported");
    for (const FlatReader& field : schema.tables(fields))
        fields_.push_back(field_of(field, numbering_, 0, false));
    metadata_ = metadata_of(schema, metadata);
}

std::uint64_t StreamReader::take_message(const ByteSource& file, std::uint64_t at) {
    enum : std::size_t { version, header_type, header, body_length };
    enum : std::size_t { dictionary_id, dictionary_data, is_more };
    constexpr std::uint64_t continuation = 0xFFFFFFFF, schema = 1, dictionary = 2, record = 3;
    const std::uint64_t begin = at;
    if (little_endian(file, at, 4) != continuation)
        refuse(has_schema_ ? fmt::format("it is damaged at byte {}", at)
                           : "it is not an Arrow stream");
    const std::uint64_t size = little_endian(file, at + 4, 4);
    if (size == 0) {
        if (!has_schema_) refuse("it is not an Arrow stream: it has no schema");
        return begin;
    }
    at += message_head;
    if (size > most_message_bytes || size > file.size() - at) refuse("it was cut off");
    std::vector<std::byte> bytes(static_cast<std::size_t>(size));
    file.read(at, bytes);
    at += size;
    const FlatReader message = FlatReader::root(bytes);
    const std::uint64_t body = message.number(body_length, 8);
    if (body > file.size() - at) refuse("it was cut off");
    const auto content = message.table(header);
    const std::uint64_t kind = message.number(header_type, 1);
    if (!content) refuse("its metadata are damaged: a message without content");
    if (kind == schema && !has_schema_) {
        take_schema(*content);
    } else if (kind == record && has_schema_) {
        if (batches_.size() == most_stream_batches) refuse("it has too many batches");
        batches_.push_back(stream_batch(*content, at, body, numbering_));
    } else if (kind == dictionary && has_schema_) {
        const auto known = values_.find(content->number(dictionary_id, 8));
        const auto data = content->table(dictionary_data);
        if (known == values_.end() || !data)
            refuse("it is damaged: a dictionary belongs to no column");
        if (dictionaries_.size() == most_stream_batches) refuse("it has too many dictionaries");
        dictionaries_.push_back({known->first, content->number(is_more, 1) != 0, batches_.size(),
                                 stream_batch(*data, at, body, known->second.numbering)});
    } else {
        refuse(fmt::format("it is damaged: a message of the kind {}", kind));
    }
    return at + body;
}

std::string_view StreamReader::metadata(const std::string& key) const {
    const auto found = metadata_.find(key);
    return found == metadata_.end() ? std::string_view() : found->second;
}

bool is_valid(const ByteSource& file, const StreamBatch& batch, const StreamField& field,
              std::uint64_t row) {
    // If nothing is null, the validity buffer may be missing.
    if (batch.nulls.at(field.node) == 0 || batch.buffers.at(field.buffer).size == 0) return true;
    const std::uint64_t place = element_place(batch, field.buffer, row / 8, 1);
    return (little_endian(file, place, 1) >> (row % 8) & 1U) != 0;
}

StreamBuffer bytes_of_row(const ByteSource& file, const StreamBatch& batch,
                          const StreamField& field, std::uint64_t row) {
    const std::uint64_t first = element_place(batch, field.buffer + 1, row + 1, field.width);
    const std::uint64_t end = little_endian(file, first, field.width),
                        begin = little_endian(file, first - field.width, field.width);
    const StreamBuffer& data = batch.buffers.at(field.buffer + 2);
    if (begin > end || end > data.size) refuse("it is damaged: a value lies outside its column");
    return {data.begin + begin, end - begin};
}

std::int64_t integer_of_row(const ByteSource& file, const StreamBatch& batch,
                            const StreamField& field, std::uint64_t row) {
    const std::uint64_t value =
        little_endian(file, element_place(batch, field.buffer + 1, row, field.width), field.width);
    const std::size_t bits = 8 * field.width;
    if (!field.is_signed) {
        if (value >> 63U != 0) refuse(fmt::format("the number {} is too large", value));
        return static_cast<std::int64_t>(value);
    }
    if (bits == 64) return static_cast<std::int64_t>(value);
    const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
    return static_cast<std::int64_t>((value ^ sign)) - static_cast<std::int64_t>(sign);
}

}  // namespace assay::arrow
