#include "containers/parquet/thrift.h"

#include <fmt/format.h>

#include "core/refuse.h"

namespace assay::parquet {
namespace {

/// Parquet's own metadata nests 6 deep.
constexpr int max_depth = 16;

constexpr std::string_view name_of(ThriftReader::Type type) {
    using Type = ThriftReader::Type;
    switch (type) {
        case Type::i32:
            return "a 32-bit number";
        case Type::i64:
            return "a 64-bit number";
        case Type::binary:
            return "a text";
        case Type::list:
            return "a list";
        case Type::structure:
            return "a structure";
        default:
            return "another type";
    }
}

}  // namespace

void ThriftReader::refuse_here(std::string_view what) const {
    refuse(fmt::format("damaged metadata: {} at their byte {}", what, at_));
}

void ThriftReader::enter() {
    if (++depth_ > max_depth)
        refuse_here(fmt::format("structures nested deeper than {}", max_depth));
}

std::uint8_t ThriftReader::byte() {
    if (at_ == bytes_.size()) refuse_here("they end");
    return static_cast<std::uint8_t>(bytes_[at_++]);
}

std::uint64_t ThriftReader::varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const std::uint8_t next = byte();
        if (shift == 63 && next > 1) break;
        value |= std::uint64_t{next & 0x7fU} << shift;
        if (next < 0x80) return value;
    }
    refuse_here("a number of more than 64 bits");
}

std::int64_t ThriftReader::zigzag() {
    const std::uint64_t value = varint();
    return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1));
}

std::size_t ThriftReader::length() {
    const std::uint64_t size = varint();
    if (size > bytes_.size() - at_)
        refuse_here(fmt::format("a length of {}, with {} bytes left,", size, bytes_.size() - at_));
    return static_cast<std::size_t>(size);
}

ThriftReader::Field ThriftReader::next_field(std::int32_t before) {
    const std::uint8_t head = byte();
    const auto type = static_cast<Type>(head & 0x0f);
    if (type == Type::stop) return {};
    if (type > Type::uuid) refuse_here("an unknown type");
    const int delta = head >> 4;
    const std::int64_t id = delta == 0 ? zigzag() : before + delta;
    if (id < INT16_MIN || id > INT16_MAX) refuse_here("a field number out of range");
    return {static_cast<std::int32_t>(id), type};
}

void ThriftReader::expect(const Field& field, Type type) const {
    if (field.type != type) refuse_here(fmt::format("field {} is not {}", field.id, name_of(type)));
}

std::int64_t ThriftReader::integer(const Field& field) {
    expect(field, Type::i64);
    return zigzag();
}

std::int32_t ThriftReader::integer32(const Field& field) {
    expect(field, Type::i32);
    const std::int64_t value = zigzag();
    if (value < INT32_MIN || value > INT32_MAX) refuse_here("a number of more than 32 bits");
    return static_cast<std::int32_t>(value);
}

bool ThriftReader::boolean(const Field& field) const {
    if (!is_bool(field)) refuse_here(fmt::format("field {} is neither true nor false", field.id));
    return field.type == Type::yes;
}

std::string_view ThriftReader::text(const Field& field) {
    expect(field, Type::binary);
    return text();
}

std::string_view ThriftReader::text() {
    const std::size_t size = length();
    const std::string_view found(reinterpret_cast<const char*>(bytes_.data()) + at_, size);
    at_ += size;
    return found;
}

std::size_t ThriftReader::list_size(const Field& field, Type element) {
    if (field.type != Type::set) expect(field, Type::list);
    const std::uint8_t head = byte();
    // Every element takes at least one byte.
    const std::size_t n = (head >> 4) == 15 ? length() : head >> 4;
    if (n > 0 && static_cast<Type>(head & 0x0f) != element)
        refuse_here(fmt::format("field {} is not a list of {}s", field.id, name_of(element)));
    return n;
}

void ThriftReader::skip_element(Type type) {
    // In lists and maps, true and false take a byte each.
    if (type == Type::yes || type == Type::no) {
        byte();
    } else {
        skip(type);
    }
}

void ThriftReader::skip(Type type) {
    const auto jump = [this](std::size_t bytes) {
        if (bytes > bytes_.size() - at_) refuse_here("they end");
        at_ += bytes;
    };
    switch (type) {
        case Type::yes:
        case Type::no:
            return;
        case Type::i8:
            return jump(1);
        case Type::i16:
        case Type::i32:
        case Type::i64:
            varint();
            return;
        case Type::real:
            return jump(8);
        case Type::uuid:
            return jump(16);
        case Type::binary:
            text();
            return;
        case Type::structure:
            return structure([](const Field&) {});
        case Type::list:
        case Type::set: {
            enter();
            const std::uint8_t head = byte();
            const std::size_t n = (head >> 4) == 15 ? length() : head >> 4;
            for (std::size_t i = 0; i < n; ++i) skip_element(static_cast<Type>(head & 0x0f));
            --depth_;
            return;
        }
        case Type::map: {
            enter();
            const std::size_t n = length();
            const std::uint8_t types = n == 0 ? 0 : byte();
            for (std::size_t i = 0; i < n; ++i) {
                skip_element(static_cast<Type>(types >> 4));
                skip_element(static_cast<Type>(types & 0x0f));
            }
            --depth_;
            return;
        }
        case Type::stop:
            break;
    }
    refuse_here("an unknown type");
}

}  // namespace assay::parquet
