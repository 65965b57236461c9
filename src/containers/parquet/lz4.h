// A block of LZ4 without a frame, as in Parquet's codec lz4_raw (lz4_Block_format.md of lz4/lz4).
#pragma once

#include <cstddef>
#include <span>

namespace assay::parquet {

/// Unpacks a block into `out` after its first `made` bytes, which the block may repeat. Returns the
/// number of bytes that `out` then has. Throws bad_input: damaged, or more than fits `out`.
std::size_t unpack_lz4(std::span<const std::byte> packed, std::span<std::byte> out,
                       std::size_t made = 0);

}  // namespace assay::parquet
