// A block of LZ4 without a frame, as Parquet's codec lz4_raw has it (lz4_Block_format.md of
// lz4/lz4).
#pragma once

#include <cstddef>
#include <span>

namespace assay::parquet {

/// Unpacks a block into `out`, and returns how many bytes that gave. Throws bad_input: damaged, or
/// more than `out` has room for.
std::size_t unpack_lz4(std::span<const std::byte> packed, std::span<std::byte> out);

}  // namespace assay::parquet
