// Tables of FlatBuffers (flatbuffers' internals.md), as far as Arrow's metadata needs them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::arrow {

/// A table and all below it, written front to back: each offset leads forward.
class FlatTable {
public:
    /// `slot`: the field's place in its schema, from 0. `size`: 1, 2, 4 or 8 bytes.
    FlatTable& scalar(int slot, unsigned size, std::int64_t value);
    FlatTable& text(int slot, std::string_view value);
    FlatTable& table(int slot, const FlatTable& value);
    FlatTable& tables(int slot, const std::vector<FlatTable>& values);
    /// Structures of whole 8 bytes each.
    FlatTable& structures(int slot, std::string_view bytes, std::uint32_t count);

    /// With this table as the root.
    std::string bytes() const;

private:
    enum class Kind : std::uint8_t { scalar, text, table, tables, structures };
    struct Field {
        int slot = 0;
        Kind kind = Kind::scalar;
        unsigned size = 4;
        std::int64_t value = 0;  ///< or the number of structures
        std::string text{};
        std::vector<FlatTable> tables{};
    };
    /// Returns where the table begins.
    std::size_t put_into(std::string& out) const;
    static std::size_t put_field(const Field& field, std::string& out);
    FlatTable& add(Field field);

    std::vector<Field> fields_;
};

}  // namespace assay::arrow
