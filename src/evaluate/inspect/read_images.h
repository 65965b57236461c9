// One pass over the images of a data set: what is kept of each for the search of duplicates.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluate/inspect/image_tally.h"

namespace assay::inspect {

/// 16 bytes an image.
struct ImageHashes {
    std::vector<std::uint64_t> file;  ///< XXH3 of the bytes; 0: they could not be read
    std::vector<std::uint64_t> look;  ///< near_hash(); 0: without detail, not compared
};

/// Throws what ends a run.
ImageHashes read_images(const Dataset& dataset, const InspectOptions& options, ImageTally& tally,
                        const ProgressCallback& callback);

}  // namespace assay::inspect
