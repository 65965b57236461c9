// Draws samples that represent a whole data set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "assay/data/dataset.h"

namespace assay {

/// Returns the items at these ascending positions, with their labels and attributes. Name, root and
/// classes do not change.
Dataset take_items(const Dataset& dataset, std::span<const std::uint32_t> items);

/// Draws `n` items, stratified by class. Each class contributes in proportion to its size, rounded
/// so that the sum is n (largest remainders, ties at random). Within a class every item has the
/// same chance. Items with several labels form one stratum, and items without a label another. The
/// items keep the data set's order. The same seed gives the same items; n >= size gives all. Throws
/// usage for n = 0. Cost: O(N log N).
Dataset stratified_sample(const Dataset& dataset, std::size_t n, std::uint64_t seed);

}  // namespace assay
