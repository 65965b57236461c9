// Images in the order of the hashes of their ids. This order is random and does not change when the
// folder moves. An image's place in it does not depend on the others.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/data/dataset.h"

namespace assay::evaluate {

/// Labelled items, or all if none is labelled, in that order.
std::vector<std::uint32_t> items_in_hash_order(const Dataset& dataset);

}  // namespace assay::evaluate
