// The parts of a result that come from reading either images or the records of a store.
#pragma once

#include <cstddef>

#include "assay/evaluate/inspect.h"
#include "evaluate/inspect/image_tally.h"

namespace assay::inspect {

/// Fills in the facts that need no image: the name, samples, labels, classes.
InspectResult described_data(const Dataset& dataset, std::size_t examples);

/// Copies the counts to the result.
void take_tally(const ImageTally& tally, const Dataset& dataset, InspectResult& result);

}  // namespace assay::inspect
