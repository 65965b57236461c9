// The parts of a result that are common to reading images and to reading the records of a store.
#pragma once

#include <cstddef>

#include "assay/evaluate/inspect.h"
#include "evaluate/inspect/image_tally.h"

namespace assay::inspect {

/// The facts that need no image: the name, samples, labels, classes.
InspectResult described_data(const Dataset& dataset, std::size_t examples);

/// Copies the counts to the result.
void take_tally(const ImageTally& tally, const Dataset& dataset, InspectResult& result);

}  // namespace assay::inspect
