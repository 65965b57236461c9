// The counterpart of read_hybrid().
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace assay::parquet {

/// The number of bits that a number needs.
unsigned bits_of(std::uint32_t value);

/// Values of `bit_width` bits each (0 to 32). Eight or more equal values become a run, and others
/// are packed.
std::string hybrid_bytes(std::span<const std::uint32_t> values, unsigned bit_width);

}  // namespace assay::parquet
