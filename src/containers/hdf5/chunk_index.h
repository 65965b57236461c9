// Where the chunks of an HDF5 data set are in the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "containers/byte_source.h"
#include "containers/hdf5/objects.h"

namespace assay::hdf5 {

struct Grid {
    std::vector<std::uint64_t> shape, chunk;  ///< elements along each axis
    std::vector<std::uint64_t> counts;        ///< chunks along each axis
    std::size_t element_bytes = 1;

    std::uint64_t chunks() const {
        return std::accumulate(counts.begin(), counts.end(), std::uint64_t{1}, std::multiplies<>());
    }
    std::uint64_t chunk_bytes() const {
        return std::accumulate(chunk.begin(), chunk.end(), std::uint64_t{element_bytes},
                               std::multiplies<>());
    }
    /// The number of bytes of one step along the first axis.
    std::uint64_t step_bytes() const {
        return std::accumulate(shape.begin() + 1, shape.end(), std::uint64_t{element_bytes},
                               std::multiplies<>());
    }
};

struct ChunkPlace {
    std::uint64_t address = no_address;
    std::uint64_t bytes = 0;
    std::uint32_t left_out = 0;  ///< filters that were not applied
};

/// The chunks in the order of the grid, from a B-tree of version 1. Throws bad_input, like the
/// functions below: damaged, or chunks that were never written.
std::vector<ChunkPlace> chunks_in_tree(const ByteSource& file, const Grid& grid,
                                       std::uint64_t tree);

/// The same from the indexes of HDF5 1.10 (libver='latest'): a single chunk, chunks without an
/// index, a fixed array, and those of growing_index.h. `fields` is at the index's type in the
/// layout message, and `most` has the largest length of each axis.
std::vector<ChunkPlace> chunks_in_new_index(const ByteSource& file, const Grid& grid,
                                            const std::vector<std::uint64_t>& most, Fields& fields,
                                            bool single_is_filtered);

}  // namespace assay::hdf5
