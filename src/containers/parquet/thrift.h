// Reads Thrift's compact protocol for the metadata of Parquet files (thrift-compact-protocol.md of
// apache/thrift). The bytes may be hostile: nothing is read beyond their end, a count is accepted
// only if enough bytes follow, and nesting is bounded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace assay::parquet {

/// Reads values in sequence. Every function throws bad_input, naming the byte.
class ThriftReader {
public:
    enum class Type : std::uint8_t {
        stop = 0,
        yes = 1,
        no = 2,
        i8 = 3,
        i16 = 4,
        i32 = 5,
        i64 = 6,
        real = 7,
        binary = 8,
        list = 9,
        set = 10,
        map = 11,
        structure = 12,
        uuid = 13,
    };
    struct Field {
        std::int32_t id = 0;
        Type type = Type::stop;
    };

    explicit ThriftReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

    std::size_t position() const noexcept { return at_; }

    /// Calls visit(field) for each field of the structure at the current position. `visit` may read
    /// the value; otherwise the value is skipped.
    template <class Visit>
    void structure(Visit&& visit) {
        enter();
        std::int32_t before = 0;
        for (Field field = next_field(before); field.type != Type::stop;
             field = next_field(before)) {
            before = field.id;
            const std::size_t value = at_;
            visit(field);
            if (at_ == value && !is_bool(field)) skip(field.type);
        }
        --depth_;
    }

    /// Calls visit(i) for each element, which must read it. count() returns their number. Throws
    /// bad_input if the field is no list of `element`.
    template <class Visit>
    void list(const Field& field, Type element, Visit&& visit) {
        const std::size_t n = list_size(field, element);
        enter();
        for (std::size_t i = 0; i < n; ++i) visit(i);
        --depth_;
    }

    /// The value of a field, which must be of this kind.
    std::int64_t integer(const Field& field);
    std::int32_t integer32(const Field& field);
    bool boolean(const Field& field) const;
    std::string_view text(const Field& field);
    /// Reads an element of a list of texts.
    std::string_view text();
    void expect(const Field& field, Type type) const;

private:
    static bool is_bool(const Field& field) {
        return field.type == Type::yes || field.type == Type::no;
    }
    [[noreturn]] void refuse_here(std::string_view what) const;
    void enter();
    std::uint8_t byte();
    std::uint64_t varint();
    std::int64_t zigzag();
    std::size_t length();
    Field next_field(std::int32_t before);
    std::size_t list_size(const Field& field, Type element);
    void skip(Type type);
    void skip_element(Type type);

    std::span<const std::byte> bytes_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

}  // namespace assay::parquet
