// The counterpart of read_hybrid().
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace assay::parquet {

/// Bits that the number takes.
unsigned bits_of(std::uint32_t value);

/// Values of `bit_width` bits (0 to 32) each: eight equal ones and more as runs, others packed.
std::string hybrid_bytes(std::span<const std::uint32_t> values, unsigned bit_width);

}  // namespace assay::parquet
