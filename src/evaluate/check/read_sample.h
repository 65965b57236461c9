// Reads the images of a sample that was already drawn.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluate/check/check_parts.h"

namespace assay::checks {

/// Reads these items, as far as they can be read, in this order. They count as labelled.
Sample read_sample(const Dataset& dataset, const std::vector<std::uint32_t>& drawn,
                   const Preprocess& p, int threads);

}  // namespace assay::checks
