// Pairs of hashes that differ in few bits, without comparing all pairs.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

namespace assay::inspect {

/// The largest distance of the search.
inline constexpr int most_bits = 10;

/// Calls visit(i, j, bits), i < j, once for each pair of hashes that differ in at most `bits` of 64
/// bits. The order of the pairs is fixed by the hashes. The hashes should be distinct, because
/// equal hashes are all compared with each other.
///
/// The 64 bits are divided into bits + 2 bands. A pair that differs in so few bits agrees in at
/// least two bands. So it only compares hashes that agree in two bands, with one sort per pair of
/// bands. Memory: 4 bytes per hash. Throws interrupted.
void for_each_near_pair(
    std::span<const std::uint64_t> hashes, int bits,
    const std::function<void(std::uint32_t i, std::uint32_t j, int bits)>& visit);

}  // namespace assay::inspect
