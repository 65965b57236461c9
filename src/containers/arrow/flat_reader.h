// Reads tables of FlatBuffers, and checks every offset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace assay::arrow {

class FlatReader {
public:
    /// The root of a buffer. Throws bad_input, like the functions below, for an offset that points
    /// outside the buffer.
    static FlatReader root(std::span<const std::byte> bytes);

    /// A little-endian number of `size` bytes, or `absent` if the field is missing.
    std::uint64_t number(std::size_t field, std::size_t size, std::uint64_t absent = 0) const;
    bool has(std::size_t field) const { return place_of(field) != 0; }
    /// A table, or nothing if the field is missing.
    std::optional<FlatReader> table(std::size_t field) const;
    std::string text(std::size_t field) const;
    std::vector<FlatReader> tables(std::size_t field) const;
    /// A vector of 64-bit numbers.
    std::vector<std::uint64_t> numbers(std::size_t field) const { return firsts(field, 8); }
    /// The 64-bit numbers at the start of each structure of a vector.
    std::vector<std::uint64_t> firsts(std::size_t field, std::size_t structure_bytes) const;
    /// A vector of pairs of 64-bit numbers.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs(std::size_t field) const;

private:
    FlatReader(std::span<const std::byte> bytes, std::size_t at);
    std::uint64_t at(std::size_t place, std::size_t size) const;
    /// 0 if the field is missing.
    std::size_t place_of(std::size_t field) const;
    /// The position that an offset at `place` points to.
    std::size_t followed(std::size_t place) const;
    /// The position of the first element, and the number of elements.
    std::pair<std::size_t, std::size_t> vector(std::size_t field, std::size_t element) const;

    std::span<const std::byte> bytes_;
    std::size_t at_ = 0, vtable_ = 0, fields_ = 0;
};

}  // namespace assay::arrow
