// Whole numbers as their differences: the encoding DELTA_BINARY_PACKED.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace assay::parquet {

struct Deltas {
    std::vector<std::uint64_t> values;  ///< of 64 bits each, as the sums wrap around
    std::size_t size = 0;               ///< bytes that they take
};

/// The `count` numbers with which `bytes` begins. Throws bad_input: damaged, cut off, or another
/// number of them.
Deltas read_deltas(std::span<const std::byte> bytes, std::size_t count);

}  // namespace assay::parquet
