// Images in the order of the hashes of their ids: a random order that stays the same when the
// folder moves, and in which an image's place does not depend on the others.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/data/dataset.h"

namespace assay::evaluate {

/// Labelled items, or all where none is labelled, in that order.
std::vector<std::uint32_t> items_in_hash_order(const Dataset& dataset);

}  // namespace assay::evaluate
