#include "containers/arrow/table_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "containers/arrow/lz4_frame.h"
#include "containers/little_endian.h"
#include "containers/parquet/value_text.h"
#include "core/refuse.h"

namespace assay::arrow {
namespace {

constexpr std::size_t bytes_of_view = 16;

void append_bytes(std::string& out, std::span<const std::byte> bytes) {
    out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

/// The bytes that the values of `rows` rows take at least.
std::uint64_t least_bytes(const StreamField& field, std::uint64_t rows) {
    switch (field.type) {
        case StreamField::Type::boolean:
            return (rows + 7) / 8;
        case StreamField::Type::text:
            return (rows + 1) * field.width;
        case StreamField::Type::view:
            return rows * bytes_of_view;
        default:
            return rows * field.width;
    }
}

/// The column of a Parquet file with the same values, for its conversion to text.
parquet::Column column_like(const StreamField& field) {
    parquet::Column column;
    if (field.type == StreamField::Type::real && field.width != 2) {
        column.type = field.width == 4 ? parquet::Physical::float32 : parquet::Physical::float64;
        return column;
    }
    column.type = parquet::Physical::fixed_bytes;
    column.length = static_cast<std::uint32_t>(field.width);
    column.scale = field.scale;
    column.meaning = field.type == StreamField::Type::decimal ? parquet::Meaning::decimal
                                                              : parquet::Meaning::float16;
    return column;
}

}  // namespace

std::span<const std::byte> BatchBuffers::bytes(const StreamBuffer& place) {
    const auto stored =
        file_.subspan(static_cast<std::size_t>(place.begin), static_cast<std::size_t>(place.size));
    if (batch_.codec == StreamCodec::none || stored.empty()) return stored;
    const auto known = unpacked_.find(place.begin);
    if (known != unpacked_.end()) return known->second.bytes();
    constexpr std::size_t head = 8;
    constexpr std::uint64_t not_packed = ~std::uint64_t{0};
    if (stored.size() < head) refuse("it is damaged: a compressed column is too short");
    const std::uint64_t size = little_endian(stored.first(head));
    const auto packed = stored.subspan(head);
    if (size == not_packed) return packed;
    // Compared without a sum, which a damaged size would overflow.
    if (size > most_unpacked - unpacked_bytes_)
        refuse(
            fmt::format("its columns unpack to more than the {} MiB per batch that are "
                        "supported; with smaller batches (chunksize or record_batch_size) it "
                        "can be read",
                        most_unpacked >> 20U));
    parquet::Buffer buffer(static_cast<std::size_t>(size));
    if (batch_.codec == StreamCodec::zstd) {
        parquet::unpack(parquet::Codec::zstd, packed, buffer.bytes());
    } else {
        unpack_lz4_frame(packed, buffer.bytes(), place.begin + head);
    }
    unpacked_bytes_ += size;
    return unpacked_.emplace(place.begin, std::move(buffer)).first->second.bytes();
}

bool TableColumn::has_text(const StreamField& field) {
    return field.type != StreamField::Type::binary && field.type != StreamField::Type::structure &&
           field.type != StreamField::Type::other;
}

TableColumn::TableColumn(BatchBuffers& buffers, const StreamField& field,
                         const DictionaryTexts* dictionary)
    : field_(&field), dictionary_(dictionary), like_(column_like(field)) {
    const StreamBatch& batch = buffers.batch();
    if (field.type == StreamField::Type::null) return;
    if (batch.nulls.at(field.node) > 0) valid_ = buffers.bytes(batch.buffers.at(field.buffer));
    values_ = buffers.bytes(batch.buffers.at(field.buffer + 1));
    if (field.type == StreamField::Type::text)
        texts_ = buffers.bytes(batch.buffers.at(field.buffer + 2));
    if (field.type == StreamField::Type::view) {
        for (const StreamBuffer& place : batch.views.at(field.view))
            of_views_.push_back(buffers.bytes(place));
    }
    if (batch.rows == 0) return;  // then texts may have no offset at all
    if ((!valid_.empty() && valid_.size() < (batch.rows + 7) / 8) ||
        values_.size() < least_bytes(field, batch.rows))
        refuse("it is damaged: a column is shorter than its rows");
}

bool TableColumn::append(std::string& out, std::uint64_t row) const {
    if (field_->type == StreamField::Type::null) return false;
    const auto is_set = [row](std::span<const std::byte> bits) {
        return (std::to_integer<unsigned>(bits[static_cast<std::size_t>(row / 8)]) >> (row % 8) &
                1U) != 0;
    };
    if (!valid_.empty() && !is_set(valid_)) return false;
    switch (field_->type) {
        case StreamField::Type::boolean:
            out += is_set(values_) ? "True" : "False";
            return true;
        case StreamField::Type::text:
            append_text(out, row);
            return true;
        case StreamField::Type::view:
            append_view(out, row);
            return true;
        case StreamField::Type::dictionary: {
            const std::uint64_t index = number(row * field_->width, field_->width);
            if (dictionary_ == nullptr || index >= dictionary_->size())
                refuse(fmt::format("it is damaged: row {} is not in its dictionary", row));
            const std::optional<std::string>& text =
                (*dictionary_)[static_cast<std::size_t>(index)];
            if (text) out += *text;
            return text.has_value();
        }
        default:
            append_number(out, row);
            return true;
    }
}

std::uint64_t TableColumn::number(std::uint64_t place, std::size_t width) const {
    return little_endian(values_.subspan(static_cast<std::size_t>(place), width));
}

void TableColumn::append_number(std::string& out, std::uint64_t row) const {
    const std::size_t width = field_->width;
    const auto value = values_.subspan(static_cast<std::size_t>(row) * width, width);
    if (field_->type == StreamField::Type::real) return parquet::append_text(out, like_, value);
    if (field_->type == StreamField::Type::decimal) {  // Parquet has the highest byte first
        std::vector<std::byte> turned(value.rbegin(), value.rend());
        return parquet::append_text(out, like_, turned);
    }
    const std::uint64_t bits = little_endian(value);
    if (!field_->is_signed) {
        fmt::format_to(std::back_inserter(out), "{}", bits);
        return;
    }
    const std::uint64_t sign = std::uint64_t{1} << (8 * width - 1);
    fmt::format_to(std::back_inserter(out), "{}", static_cast<std::int64_t>((bits ^ sign) - sign));
}

void TableColumn::append_text(std::string& out, std::uint64_t row) const {
    const std::size_t width = field_->width;
    const std::uint64_t begin = number(row * width, width), end = number((row + 1) * width, width);
    if (begin > end || end > texts_.size())
        refuse("it is damaged: a value lies outside its column");
    append_bytes(out, texts_.subspan(static_cast<std::size_t>(begin),
                                     static_cast<std::size_t>(end - begin)));
}

/// A short text is in the view itself. Of a long one, the view has the buffer and the place there.
void TableColumn::append_view(std::string& out, std::uint64_t row) const {
    constexpr std::size_t longest_inside = 12;
    const std::uint64_t at = row * bytes_of_view, size = number(at, 4);
    if (size <= longest_inside)
        return append_bytes(
            out, values_.subspan(static_cast<std::size_t>(at) + 4, static_cast<std::size_t>(size)));
    const std::uint64_t buffer = number(at + 8, 4), begin = number(at + 12, 4);
    if (buffer >= of_views_.size() || begin > of_views_[buffer].size() ||
        size > of_views_[buffer].size() - begin)
        refuse("it is damaged: a value lies outside its column");
    append_bytes(out, of_views_[buffer].subspan(static_cast<std::size_t>(begin),
                                                static_cast<std::size_t>(size)));
}

}  // namespace assay::arrow
