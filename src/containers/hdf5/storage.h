// The elements of an HDF5 data set as one run of bytes, wherever they lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "containers/byte_source.h"
#include "containers/hdf5/objects.h"

namespace assay::hdf5 {

/// All elements in C order, as they are in the file. Throws bad_input: never written, in other
/// files, another index of chunks than B-trees of version 1, other filters than deflate, shuffle
/// and Fletcher-32, damaged.
std::shared_ptr<const ByteSource> stored_elements(const std::shared_ptr<const ByteSource>& file,
                                                  const std::vector<Message>& messages,
                                                  const std::vector<std::uint64_t>& shape,
                                                  std::size_t element_bytes);

}  // namespace assay::hdf5
