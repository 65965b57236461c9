// The parts of a result that images which are read and records of a store share.
#pragma once

#include <cstddef>

#include "assay/evaluate/inspect.h"
#include "evaluate/inspect/image_tally.h"

namespace assay::inspect {

/// What is known without an image: the name, samples, labels, classes.
InspectResult described_data(const Dataset& dataset, std::size_t examples);

/// Takes over what was counted.
void take_tally(const ImageTally& tally, const Dataset& dataset, InspectResult& result);

}  // namespace assay::inspect
