// Shared by both readers of MAT-files of level 5: the header, the tags before elements, the numbers
// of types and classes. Format: MathWorks, "MAT-File Format", R2023b.
#pragma once

#include <cstdint>

#include "containers/byte_source.h"

namespace assay::mat {

inline constexpr std::uint64_t header_bytes = 128;

/// Types of elements (table 1-1).
enum ElementType : std::uint32_t {
    int8_type = 1,
    uint8_type = 2,
    int16_type = 3,
    uint16_type = 4,
    int32_type = 5,
    uint32_type = 6,
    float32_type = 7,
    float64_type = 9,
    int64_type = 12,
    uint64_type = 13,
    matrix_type = 14,
    packed_type = 15,  ///< compressed by zlib
    utf8_type = 16,
    utf16_type = 17,
    utf32_type = 18
};

/// Classes of arrays (table 1-3). The numeric classes are between the last two.
enum ArrayClass : std::uint32_t {
    cell_class = 1,
    struct_class = 2,
    char_class = 4,
    double_class = 6,
    uint64_class = 15
};

/// Throws bad_input for other files, other versions (7.3 is HDF5), and big-endian files.
void check_header(const ByteSource& file);

/// The tag before an element: the element's type and the position of its data.
struct Tag {
    std::uint32_t type = 0;
    std::uint64_t begin = 0, size = 0;
    std::uint64_t next = 0;  ///< position of the next tag; may be beyond the end
};

/// Throws bad_input if the element is damaged or exceeds the source.
Tag tag_at(const ByteSource& source, std::uint64_t at);

}  // namespace assay::mat
