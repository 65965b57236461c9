// Reads numeric arrays in MATLAB's MAT files of version 5 (MAT-File Format, 2024), little-endian,
// plain or packed by zlib. Arrays stay in the file and are not unpacked to memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "containers/byte_source.h"

namespace assay {

struct Mat5Array {
    /// The types in which a file may store the numbers.
    enum class Type : std::uint8_t { other, uint8, int32, float64, uint16, int16, int8, uint32 };
    std::string name{};
    std::vector<std::uint64_t> shape{};  ///< the first index changes fastest
    Type type = Type::other;             ///< `other`: texts, structures, sparse or complex arrays
    std::shared_ptr<const ByteSource> bytes{};
    std::uint64_t begin = 0;  ///< position of the numbers in `bytes`

    /// The product of the shape.
    std::uint64_t count() const;
    /// All numbers as integers. Throws bad_input for fractions.
    std::vector<std::int64_t> integers() const;
};

/// The arrays of a file, in order. Each packed array is unpacked once to check it. Throws
/// bad_input: another version (7.3 is HDF5), big-endian, damaged, truncated, an array with the
/// wrong number of bytes.
std::vector<Mat5Array> read_mat5(const std::shared_ptr<const ByteSource>& file);

}  // namespace assay
