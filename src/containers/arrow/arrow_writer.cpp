#include "containers/arrow/arrow_writer.h"

#include "containers/arrow/array.h"
#include "containers/arrow/flat_table.h"

namespace assay::arrow {
namespace {

constexpr std::string_view magic = "ARROW1";
constexpr int version_5 = 4;  // MetadataVersion
/// Kinds of messages and types, numbered by their position in the unions of Message.fbs and
/// Schema.fbs.
enum Header { schema_header = 1, batch_header = 3 };
enum Type {
    int_type = 2,
    float_type = 3,
    text_type = 5,
    bool_type = 6,
    list_type = 12,
    fixed_list_type = 16
};
enum Precision { single_precision = 1, double_precision = 2 };

template <class T>
void put(std::string& out, T value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void pad(std::string& out, std::size_t unit) {
    out.append((unit - out.size() % unit) % unit, '\0');
}

FlatTable field(std::string_view name, bool nullable, Type type, const FlatTable& properties,
                const std::vector<FlatTable>& children = {}) {
    return FlatTable()
        .text(0, name)
        .scalar(1, 1, nullable ? 1 : 0)
        .scalar(2, 1, type)
        .table(3, properties)
        .tables(5, children);
}

FlatTable int32_type() {
    return FlatTable().scalar(0, 4, 32).scalar(1, 1, 1);
}

FlatTable field_of(const ColumnSpec& column) {
    const FlatTable single = FlatTable().scalar(0, 2, single_precision);
    switch (column.type) {
        case ColumnType::text:
            return field(column.name, true, text_type, {});
        case ColumnType::int32:
            return field(column.name, true, int_type, int32_type());
        case ColumnType::float32:
            return field(column.name, true, float_type, single);
        case ColumnType::float64:
            return field(column.name, true, float_type, FlatTable().scalar(0, 2, double_precision));
        case ColumnType::boolean:
            return field(column.name, true, bool_type, {});
        case ColumnType::int32s:
            return field(column.name, true, list_type, {},
                         {field("item", false, int_type, int32_type())});
        case ColumnType::float32s:
            return field(column.name, true, fixed_list_type,
                         FlatTable().scalar(0, 4, column.length),
                         {field("item", false, float_type, single)});
    }
    return {};
}

/// The buffers of a record batch and their metadata.
class Body {
public:
    /// Adds an array, then its children.
    void add(const Array& array) {
        put(nodes_, array.length);
        put(nodes_, array.nulls);
        for (const std::string& buffer : array.buffers) {
            put(buffers_, static_cast<std::int64_t>(bytes_.size()));
            put(buffers_, static_cast<std::int64_t>(buffer.size()));
            bytes_ += buffer;
            pad(bytes_, 64);
        }
        for (const Array& child : array.children) add(child);
    }

    const std::string& bytes() const { return bytes_; }
    FlatTable batch(std::size_t rows) const {
        return FlatTable()
            .scalar(0, 8, static_cast<std::int64_t>(rows))
            .structures(1, nodes_, static_cast<std::uint32_t>(nodes_.size() / 16))
            .structures(2, buffers_, static_cast<std::uint32_t>(buffers_.size() / 16));
    }

private:
    std::string nodes_, buffers_, bytes_;
};

class ArrowFile final : public ColumnFile {
public:
    ArrowFile(std::vector<ColumnSpec> columns,
              const std::vector<std::pair<std::string, std::string>>& metadata,
              std::function<void(std::string_view)> out)
        : columns_(std::move(columns)), out_(std::move(out)) {
        std::vector<FlatTable> fields, pairs;
        for (const ColumnSpec& column : columns_) fields.push_back(field_of(column));
        for (const auto& [key, value] : metadata)
            pairs.push_back(FlatTable().text(0, key).text(1, value));
        schema_.scalar(0, 2, 0).tables(1, fields).tables(2, pairs);
        write_out(std::string(magic) + std::string(2, '\0'));
        message(schema_header, schema_, {});
    }

    void write(const ColumnTable& rows) override {
        if (rows.rows() == 0) return;
        Body body;
        for (std::size_t c = 0; c < columns_.size(); ++c)
            body.add(array_of(columns_[c], rows.columns[c]));
        const auto begin = static_cast<std::int64_t>(at_);
        const std::int32_t metadata = message(batch_header, body.batch(rows.rows()), body.bytes());
        put(blocks_, begin);
        put(blocks_, metadata);
        put(blocks_, std::int32_t{0});
        put(blocks_, static_cast<std::int64_t>(body.bytes().size()));
    }

    void finish() override {
        std::string end;
        put(end, std::uint32_t{0xffffffffU});
        put(end, std::uint32_t{0});
        const std::string footer =
            FlatTable()
                .scalar(0, 2, version_5)
                .table(1, schema_)
                .structures(2, {}, 0)
                .structures(3, blocks_, static_cast<std::uint32_t>(blocks_.size() / 24))
                .bytes();
        end += footer;
        put(end, static_cast<std::int32_t>(footer.size()));
        write_out(end + std::string(magic));
    }

private:
    /// Writes a message and returns the number of bytes before its body.
    std::int32_t message(Header kind, const FlatTable& header, std::string_view body) {
        std::string metadata = FlatTable()
                                   .scalar(0, 2, version_5)
                                   .scalar(1, 1, kind)
                                   .table(2, header)
                                   .scalar(3, 8, static_cast<std::int64_t>(body.size()))
                                   .bytes();
        pad(metadata, 8);
        std::string head;
        put(head, std::uint32_t{0xffffffffU});
        put(head, static_cast<std::int32_t>(metadata.size()));
        write_out(head + metadata);
        write_out(body);
        return static_cast<std::int32_t>(head.size() + metadata.size());
    }
    void write_out(std::string_view bytes) {
        out_(bytes);
        at_ += bytes.size();
    }

    std::vector<ColumnSpec> columns_;
    std::function<void(std::string_view)> out_;
    FlatTable schema_;
    std::string blocks_;
    std::uint64_t at_ = 0;
};

}  // namespace

std::unique_ptr<ColumnFile> write_arrow(std::vector<ColumnSpec> columns,
                                        std::vector<std::pair<std::string, std::string>> metadata,
                                        std::function<void(std::string_view)> out) {
    return std::make_unique<ArrowFile>(std::move(columns), metadata, std::move(out));
}

}  // namespace assay::arrow
