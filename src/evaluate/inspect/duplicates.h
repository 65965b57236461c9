// Which images are equal and which look alike, in one data set and between two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "evaluate/inspect/read_images.h"

namespace assay::inspect {

/// Of a data set without labels none.
std::span<const std::int32_t> labels_of(const Dataset& dataset, std::uint32_t item);
/// The classes of an image's labels, as people and readers of JSON see them.
std::string class_text(const ClassList& classes, std::int32_t c);
InspectedImage inspected_image(const Dataset& dataset, std::uint32_t item);

/// Fills what `result` says of duplicates. `others`: what `hashes` is, of the data set that
/// result.against is about; null where there is none. Memory: 32 bytes an image at most,
/// what the hashes need among them.
void find_duplicates(const Dataset& dataset, ImageHashes hashes, const Dataset* other,
                     ImageHashes others, const InspectOptions& options, InspectResult& result);

}  // namespace assay::inspect
