#include "containers/arrow/stream_reader.h"

#include <fmt/format.h>

#include <array>
#include <span>
#include <utility>

#include "containers/arrow/flat_reader.h"
#include "core/refuse.h"
#include "core/text.h"

namespace assay::arrow {
namespace {

constexpr std::uint64_t most_message_bytes = std::uint64_t{64} << 20;
constexpr std::size_t most_stream_fields = 10'000;
constexpr std::size_t most_stream_batches = std::size_t{1} << 20;

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
    large_list = 21
};

/// The number of buffers that an array of this type has, without its children.
std::size_t buffers_of(ArrowType type, const std::string& name) {
    switch (type) {
        case ArrowType::null:
            return 0;
        case ArrowType::structure:
        case ArrowType::fixed_list:
            return 1;
        case ArrowType::binary:
        case ArrowType::text:
        case ArrowType::large_binary:
        case ArrowType::large_text:
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
            return "lists";
        case ArrowType::structure:
            return "structures";
        case ArrowType::text:
        case ArrowType::large_text:
            return "texts";
        case ArrowType::binary:
        case ArrowType::large_binary:
            return "bytes";
        default:
            return fmt::format("Arrow type {}", static_cast<std::uint64_t>(type));
    }
}

/// Gives nodes and buffers their numbers, in the order of a batch.
struct Numbering {
    std::size_t nodes = 0, buffers = 0;
};

StreamField stream_field(const FlatReader& table, Numbering& next, int depth) {
    constexpr int deepest = 32;
    constexpr std::size_t longest_name = 4096;
    enum : std::size_t { name, nullable, type_type, type, dictionary, children };
    StreamField field;
    field.name = table.text(name);
    if (depth > deepest || next.nodes == most_stream_fields)
        refuse("it has too many columns, or columns nested too deep");
    if (field.name.size() > longest_name)
        refuse("the name of a column is longer than is supported");
    const auto number = static_cast<ArrowType>(table.number(type_type, 1));
    const auto of_type = table.table(type);
    const bool is_dictionary = table.has(dictionary);
    field.node = next.nodes++;
    field.buffer = next.buffers;
    next.buffers += is_dictionary ? 2 : buffers_of(number, field.name);
    field.called = is_dictionary ? "a dictionary" : called(number);
    for (const FlatReader& child : table.tables(children))
        if (!is_dictionary) field.children.push_back(stream_field(child, next, depth + 1));
    if (is_dictionary) return field;
    if (number == ArrowType::integer && of_type) {
        field.width = static_cast<std::size_t>(of_type->number(0, 4)) / 8;
        field.is_signed = of_type->number(1, 1) != 0;
        const bool whole =
            field.width == 1 || field.width == 2 || field.width == 4 || field.width == 8;
        if (whole) field.type = StreamField::Type::integer;
    } else if (number == ArrowType::text || number == ArrowType::large_text) {
        field.type = StreamField::Type::text;
        field.width = number == ArrowType::text ? 4 : 8;
    } else if (number == ArrowType::binary || number == ArrowType::large_binary) {
        field.type = StreamField::Type::binary;
        field.width = number == ArrowType::binary ? 4 : 8;
    } else if (number == ArrowType::structure) {
        field.type = StreamField::Type::structure;
    }
    return field;
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

std::uint64_t little(const ByteSource& file, std::uint64_t at, std::size_t size) {
    std::array<std::byte, 8> raw{};
    file.read(at, std::span(raw).first(size));
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i)
        value |= std::to_integer<std::uint64_t>(raw[i]) << (8 * i);
    return value;
}

/// Throws bad_input if the buffer is shorter.
std::uint64_t element_place(const StreamBatch& batch, std::size_t buffer, std::uint64_t element,
                            std::size_t size) {
    if (buffer >= batch.buffers.size() || element >= batch.buffers[buffer].size / size)
        refuse("it is damaged: a column is shorter than its rows");
    return batch.buffers[buffer].begin + element * size;
}

StreamBatch stream_batch(const FlatReader& table, std::uint64_t body, std::uint64_t body_bytes,
                         const Numbering& numbering) {
    enum : std::size_t { length, nodes, buffers, compression };
    if (table.has(compression))
        refuse(
            "its batches are compressed, which is not supported. To unpack it: python3 -c \"import "
            "pyarrow as a; r = a.ipc.open_stream('IN.arrow'); w = a.ipc.new_stream('OUT.arrow', "
            "r.schema); [w.write(b) for b in r]; w.close()\"");
    StreamBatch batch;
    batch.rows = table.number(length, 8);
    constexpr std::uint64_t most_rows = std::uint64_t{1} << 31;
    if (batch.rows > most_rows) refuse("it is damaged: a batch has more rows than are possible");
    for (const auto& [rows, nulls] : table.pairs(nodes)) batch.nulls.push_back(nulls);
    for (const auto& [offset, size] : table.pairs(buffers)) {
        if (offset > body_bytes || size > body_bytes - offset)
            refuse("it is damaged: a column lies outside its batch");
        batch.buffers.push_back({body + offset, size});
    }
    if (batch.nulls.size() != numbering.nodes || batch.buffers.size() != numbering.buffers)
        refuse("it is damaged: a batch has different columns than the schema");
    return batch;
}

}  // namespace

StreamReader StreamReader::open(const ByteSource& file) {
    enum : std::size_t { version, header_type, header, body_length };
    enum : std::size_t { endianness, fields, metadata };
    constexpr std::uint64_t continuation = 0xFFFFFFFF, schema = 1, dictionary = 2, record = 3;
    StreamReader out;
    Numbering numbering;
    bool has_schema = false;
    for (std::uint64_t at = 0;;) {
        if (file.size() - at < 8) {
            if (at == file.size() && has_schema) return out;  // the stream ends without an end mark
            refuse(has_schema ? "it was cut off" : "it is not an Arrow stream");
        }
        if (little(file, at, 4) != continuation)
            refuse(has_schema ? fmt::format("it is damaged at byte {}", at)
                              : "it is not an Arrow stream");
        const std::uint64_t size = little(file, at + 4, 4);
        if (size == 0) {
            if (!has_schema) refuse("it is not an Arrow stream: it has no schema");
            return out;
        }
        at += 8;
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
        if (kind == schema && !has_schema) {
            has_schema = true;
            if (content->number(endianness, 2) != 0)
                refuse("it is big-endian, which is not supported");
            for (const FlatReader& field : content->tables(fields))
                out.fields_.push_back(stream_field(field, numbering, 0));
            out.metadata_ = metadata_of(*content, metadata);
        } else if (kind == record && has_schema) {
            if (out.batches_.size() == most_stream_batches) refuse("it has too many batches");
            out.batches_.push_back(stream_batch(*content, at, body, numbering));
        } else if (kind != dictionary || !has_schema) {
            refuse(fmt::format("it is damaged: a message of the kind {}", kind));
        }
        at += body;
    }
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
    return (little(file, place, 1) >> (row % 8) & 1U) != 0;
}

StreamBuffer bytes_of_row(const ByteSource& file, const StreamBatch& batch,
                          const StreamField& field, std::uint64_t row) {
    const std::uint64_t first = element_place(batch, field.buffer + 1, row + 1, field.width);
    const std::uint64_t end = little(file, first, field.width),
                        begin = little(file, first - field.width, field.width);
    const StreamBuffer& data = batch.buffers.at(field.buffer + 2);
    if (begin > end || end > data.size) refuse("it is damaged: a value lies outside its column");
    return {data.begin + begin, end - begin};
}

std::int64_t integer_of_row(const ByteSource& file, const StreamBatch& batch,
                            const StreamField& field, std::uint64_t row) {
    const std::uint64_t value =
        little(file, element_place(batch, field.buffer + 1, row, field.width), field.width);
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
