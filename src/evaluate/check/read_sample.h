// The images of a sample that somebody else has drawn.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluate/check/check_parts.h"

namespace assay::checks {

/// These items, those that can be read, in this order; taken for labelled.
Sample read_sample(const Dataset& dataset, const std::vector<std::uint32_t>& drawn,
                   const Preprocess& p, int threads);

}  // namespace assay::checks
