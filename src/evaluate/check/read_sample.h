// Draws items, and reads the images of a sample that was already drawn.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluate/check/check_parts.h"

namespace assay::checks {

/// Every item has its own draw, so its chance does not depend on other items. Returns the items
/// with the `first`-th to (`first + n - 1`)-th smallest draw, in the items' order.
std::vector<std::uint32_t> draw_items(const std::vector<std::uint32_t>& items, std::size_t first,
                                      std::size_t n, std::uint64_t seed);

/// Reads these items, as far as they can be read, in this order. They count as labelled.
Sample read_sample(const Dataset& dataset, const std::vector<std::uint32_t>& drawn,
                   const Preprocess& p, int threads);

}  // namespace assay::checks
