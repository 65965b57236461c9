// Integers that are stored as differences (DELTA_BINARY_PACKED).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace assay::parquet {

struct Deltas {
    std::vector<std::uint64_t> values;  ///< unsigned 64-bit numbers, because the sums wrap around
    std::size_t size = 0;               ///< the number of bytes consumed
};

/// The `count` numbers at the start of `bytes`. Throws bad_input: damaged, truncated, or a
/// different number of values.
Deltas read_deltas(std::span<const std::byte> bytes, std::size_t count);

}  // namespace assay::parquet
