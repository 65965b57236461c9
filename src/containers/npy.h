// Reads NumPy's array files (.npy, format versions 1 to 3) in place. Another object owns the bytes:
// a mapped file, or an entry of an npz. Also makes the header for writing one.
//
// Supports little-endian numbers in C or Fortran order, with any shape. The error for a structured,
// big-endian, complex, string or object array names its type. An array may begin at any address, as
// entries of an npz do, so the accessors never assume alignment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/number_type.h"

namespace assay {

/// The type with the name `descr` ("<f4"). Throws bad_input and lists the allowed types.
NumberType npy_type_named(std::string_view descr);

/// Numbers of one type in storage order. Does not own the bytes.
struct NumberSpan {
    NumberType type = NumberType::f4;
    std::uint64_t count = 0;
    std::span<const std::byte> data;  ///< count * size_of(type) bytes

    /// Element i as a double (exact except for 64-bit integers beyond 2^53). i < count.
    double number(std::uint64_t i) const;
    /// Element i as an integer; booleans are 0 and 1. Throws bad_input (with i and the value) for a
    /// fraction, a non-finite number, or one outside the 64-bit range.
    std::int64_t integer(std::uint64_t i) const;
    /// Elements [first, first + out.size()) as floats, rounded to nearest, ties to even. Numbers
    /// beyond the range become infinity. Throws internal if the range exceeds the array.
    void floats(std::uint64_t first, std::span<float> out) const;
};

/// One array inside `bytes`, which must outlive it.
struct NpyView {
    NumberSpan values;  ///< in storage order: last index fastest, or first index fastest (fortran)
    bool fortran = false;
    std::vector<std::uint64_t> shape;  ///< empty for a scalar

    NumberType type() const noexcept { return values.type; }
    std::uint64_t count() const noexcept { return values.count; }
    /// Formats the shape as NumPy prints it: "(3, 4)".
    std::string shape_text() const;
    /// The position of element (row, column) of a two-dimensional array in `values`.
    std::uint64_t position(std::uint64_t row, std::uint64_t column) const {
        return fortran ? column * shape[0] + row : row * shape[1] + column;
    }
};

/// Checks the header and that exactly the array's bytes follow it. Throws bad_input for no magic,
/// unknown version, damaged header, unsupported dtype, a shape that overflows, missing or trailing
/// bytes. Only the shape is allocated; the data are not copied.
NpyView parse_npy(std::span<const std::byte> bytes);

/// Parses only the header: values.data is the rest of `bytes`, even if it has too few or too many
/// bytes.
NpyView parse_npy_header(std::span<const std::byte> bytes);

/// Magic, version and header text of an array of `shape`, padded with blanks so that the data begin
/// at a multiple of 64. `descr` is the type in the header: "<f4", or a structured type "[('class',
/// '<i4'), ('score', '<f4')]".
std::string npy_header(std::string_view descr, std::span<const std::uint64_t> shape,
                       bool fortran = false);

}  // namespace assay
