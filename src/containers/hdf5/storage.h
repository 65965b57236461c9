// The elements of an HDF5 data set as one sequence of bytes, for any storage layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "containers/byte_source.h"
#include "containers/hdf5/objects.h"

namespace assay::hdf5 {

/// All elements in C order, in the file's format. Throws bad_input: never written, stored in other
/// files, filters other than deflate, lzf, shuffle and Fletcher-32, damaged.
std::shared_ptr<const ByteSource> stored_elements(const std::shared_ptr<const ByteSource>& file,
                                                  const std::vector<Message>& messages,
                                                  const std::vector<std::uint64_t>& shape,
                                                  std::size_t element_bytes);

}  // namespace assay::hdf5
