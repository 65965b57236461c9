// What the indexes of HDF5 1.10 have in common: blocks with checksums, and one element per chunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "containers/byte_source.h"
#include "containers/hdf5/chunk_index.h"

namespace assay::hdf5 {

constexpr std::uint64_t index_checksum_bytes = 4;

/// Reads the blocks of one index. A sound index has each of its blocks once, so all of them
/// together are at most as long as the file. A damaged one may lead to a block again and again.
class IndexReader {
public:
    /// `what` is a literal for messages: "a tree of chunks".
    IndexReader(const ByteSource& file, const char* what)
        : file_(file), what_(what), left_(file.size()) {}

    /// Throws bad_input beyond the end of the file, or after more bytes than the file has.
    std::vector<std::byte> bytes(std::uint64_t at, std::uint64_t size);
    /// The same for bytes that end with their checksum, which is compared.
    std::vector<std::byte> sound_bytes(std::uint64_t at, std::uint64_t size);
    const char* what() const noexcept { return what_; }

private:
    const ByteSource& file_;
    const char* what_;
    std::uint64_t left_;
};

/// A block of an index that ends with its checksum. Its fields are those after the signature and
/// the version.
class IndexBlock {
public:
    /// Throws bad_input, like IndexReader, or without the signature.
    IndexBlock(IndexReader& reader, std::uint64_t at, std::uint64_t size, std::uint64_t signature);
    IndexBlock(const IndexBlock&) = delete;
    IndexBlock& operator=(const IndexBlock&) = delete;

    Fields& fields() { return fields_; }

private:
    std::vector<std::byte> bytes_;
    Fields fields_;
};

/// How one chunk is recorded: its address, and with filters its size and the filters left out.
struct ElementForm {
    std::uint64_t bytes = 8;
    bool is_filtered = false;

    bool fits() const { return is_filtered ? bytes > 12 && bytes <= 20 : bytes == 8; }
    ChunkPlace read(Fields& fields, std::uint64_t chunk_bytes) const;
};

/// Takes the elements of an index in sequence, and keeps those of the grid's chunks. The index
/// has an element for each chunk of the largest shape. Memory: 24 bytes per chunk of the grid.
class PlacesByElement {
public:
    /// `counts` has the index's chunks along each axis, at least the grid's. `order` has the axes,
    /// with the one whose steps are longest first. Throws bad_input above 2^64 elements.
    PlacesByElement(const Grid& grid, const std::vector<std::uint64_t>& counts,
                    std::vector<std::size_t> order);

    /// The number of chunks of the largest shape.
    std::uint64_t elements() const noexcept { return elements_; }
    /// Whether no chunk of the grid is after the elements so far.
    bool complete() const noexcept { return complete_; }
    /// Whether the next `elements` have one of a chunk of the grid.
    bool wants(std::uint64_t elements) const noexcept {
        return !complete_ && wanted_ - at_ < elements;
    }
    void add(const ChunkPlace& place);
    /// Passes elements of chunks that were never written, or that are not wanted.
    void skip(std::uint64_t elements);
    /// Passes all elements before the next one of a chunk of the grid, and returns its number.
    std::uint64_t skip_to_wanted() { return at_ = wanted_; }

    std::vector<ChunkPlace> take() { return std::move(places_); }

private:
    void find_next();

    struct Axis {
        std::uint64_t count;  ///< of the grid's chunks
        std::uint64_t element_step, cell_step;
        std::uint64_t at = 0;
    };
    std::vector<Axis> axes_;  ///< the longest steps first
    std::vector<ChunkPlace> places_;
    std::uint64_t elements_ = 1;
    std::uint64_t at_ = 0, wanted_ = 0, cell_ = 0;  ///< at_ is at most wanted_
    bool complete_ = false;
};

/// How many chunks each axis of the largest shape has. Throws bad_input if `most` is smaller than
/// the grid's shape.
std::vector<std::uint64_t> counts_of_largest(const Grid& grid,
                                             const std::vector<std::uint64_t>& most);

}  // namespace assay::hdf5
