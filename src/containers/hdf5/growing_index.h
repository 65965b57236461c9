// Where the chunks of an HDF5 data set are whose axes can grow without limit (maxshape=None), as
// HDF5 1.10 and later write it with libver='latest'. Sources: "HDF5 File Format Specification"
// version 3.0, sections III.A.2 (B-trees of version 2) and VII.C.5 (extensible arrays).
#pragma once

#include <cstdint>
#include <vector>

#include "containers/byte_source.h"
#include "containers/hdf5/chunk_index.h"

namespace assay::hdf5 {

/// The chunks in the order of the grid, from an extensible array, which HDF5 uses for one axis
/// without limit. `most` has the largest length of each axis; an unlimited one has the largest
/// number. Throws bad_input: damaged (checksums are compared), or chunks that were never written.
/// Cost: the part of the index for the chunks that exist.
std::vector<ChunkPlace> chunks_in_extensible_array(const ByteSource& file, const Grid& grid,
                                                   const std::vector<std::uint64_t>& most,
                                                   std::uint64_t address);

/// The same from a B-tree of version 2, for several axes without limit.
std::vector<ChunkPlace> chunks_in_new_tree(const ByteSource& file, const Grid& grid,
                                           std::uint64_t address);

}  // namespace assay::hdf5
