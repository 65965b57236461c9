// The runs and bit-packed groups in which Parquet stores levels and dictionary indices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace assay::parquet {

/// The first `count` values of `bit_width` bits each (0 to 32). Throws bad_input: damaged,
/// truncated, or a width beyond 32.
std::vector<std::uint32_t> read_hybrid(std::span<const std::byte> bytes, unsigned bit_width,
                                       std::size_t count);

}  // namespace assay::parquet
