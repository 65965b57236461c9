// Images in the order of the hashes of their ids. This order is random and does not change when the
// folder moves. An image's place in it does not depend on other images.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/data/dataset.h"

namespace assay::evaluate {

/// Labelled items in that order, or all items if none is labelled.
std::vector<std::uint32_t> items_in_hash_order(const Dataset& dataset);

}  // namespace assay::evaluate
