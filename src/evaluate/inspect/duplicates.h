// Finds equal and similar images in one data set and between two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "evaluate/inspect/read_images.h"

namespace assay::inspect {

/// Returns an empty span for a data set without labels.
std::span<const std::int32_t> labels_of(const Dataset& dataset, std::uint32_t item);
InspectedImage inspected_image(const Dataset& dataset, std::uint32_t item);

/// Fills the duplicates in `result`. `others` are the hashes of the data set in result.against, or
/// null. Memory: at most 32 bytes per image, including the hashes.
void find_duplicates(const Dataset& dataset, ImageHashes hashes, const Dataset* other,
                     ImageHashes others, const InspectOptions& options, InspectResult& result);

}  // namespace assay::inspect
