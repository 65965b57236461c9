// Writes tables of FlatBuffers (flatbuffers' internals.md) for Arrow's metadata.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::arrow {

/// A table and its descendants, written front to back, so that each offset points forward.
class FlatTable {
public:
    /// `slot` is the field's position in its schema, from 0. `size` is 1, 2, 4 or 8 bytes.
    FlatTable& scalar(int slot, unsigned size, std::int64_t value);
    FlatTable& text(int slot, std::string_view value);
    FlatTable& table(int slot, const FlatTable& value);
    FlatTable& tables(int slot, const std::vector<FlatTable>& values);
    /// A vector of structures. Each takes a multiple of 8 bytes.
    FlatTable& structures(int slot, std::string_view bytes, std::uint32_t count);

    /// The buffer with this table as its root.
    std::string bytes() const;

private:
    enum class Kind : std::uint8_t { scalar, text, table, tables, structures };
    struct Field {
        int slot = 0;
        Kind kind = Kind::scalar;
        unsigned size = 4;
        std::int64_t value = 0;  ///< value of the field, or the number of structures
        std::string text{};
        std::vector<FlatTable> tables{};
    };
    /// Returns the position of the table.
    std::size_t put_into(std::string& out) const;
    static std::size_t put_field(const Field& field, std::string& out);
    FlatTable& add(Field field);

    std::vector<Field> fields_;
};

}  // namespace assay::arrow
