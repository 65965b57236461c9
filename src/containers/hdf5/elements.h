// The type and number of the elements of an HDF5 data set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace assay::hdf5 {

struct ElementType {
    std::string descr;     ///< type as in .npy files: "<f4", "|S9"; "" for texts of any length
    std::size_t size = 0;  ///< bytes in the file
    bool big_endian = false;
    bool any_length = false;  ///< true if texts are stored in the file's heaps
};

/// Throws bad_input for compounds, references, times, lists, and numbers with an unknown layout.
ElementType element_type(std::span<const std::byte> message);

/// The length of each axis. Empty for a single element. Throws bad_input for no elements, more than
/// 8 axes, more elements than a file can hold.
std::vector<std::uint64_t> shape_of(std::span<const std::byte> message, std::size_t element_bytes);

}  // namespace assay::hdf5
