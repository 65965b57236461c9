// MATLAB's MAT files of version 5 (MAT-File Format, 2024), little-endian: numeric arrays at their
// places, plain or packed by zlib. Nothing is unpacked to memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "containers/byte_source.h"

namespace assay {

struct Mat5Array {
    /// How the numbers are stored, of the types that a file may use.
    enum class Type : std::uint8_t { other, uint8, int32, float64, uint16, int16, int8, uint32 };
    std::string name{};
    std::vector<std::uint64_t> shape{};  ///< the first index is the fastest
    Type type = Type::other;             ///< other: texts, structures, sparse or complex arrays
    std::shared_ptr<const ByteSource> bytes{};
    std::uint64_t begin = 0;  ///< of the numbers in `bytes`

    /// The product of the shape.
    std::uint64_t count() const;
    /// All numbers, as whole ones. Throws bad_input: fractions.
    std::vector<std::int64_t> integers() const;
};

/// The arrays of a file, in its order. Each packed array is unpacked once, to check it. Throws
/// bad_input: another version (7.3 is HDF5), big-endian, damaged, cut off, an array that needs
/// other bytes than it has.
std::vector<Mat5Array> read_mat5(const std::shared_ptr<const ByteSource>& file);

}  // namespace assay
