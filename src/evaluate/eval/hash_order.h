// Images in the order of the hashes of their ids: this order is random, does not change when the
// folder moves, and an image's place in it does not depend on the others.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/data/dataset.h"

namespace assay::evaluate {

/// Labelled items, or all if none is labelled, in that order.
std::vector<std::uint32_t> items_in_hash_order(const Dataset& dataset);

}  // namespace assay::evaluate
