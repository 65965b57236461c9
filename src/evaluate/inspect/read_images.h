// Reads the images of a data set once, and keeps what the search for duplicates needs.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluate/inspect/image_tally.h"

namespace assay::inspect {

/// Hashes with 16 bytes per image.
struct ImageHashes {
    std::vector<std::uint64_t> file;  ///< XXH3 of the bytes; 0 means that they could not be read
    std::vector<std::uint64_t> look;  ///< near_hash(); 0 for an image without detail, which is
                                      ///< not compared
};

/// Whether the tally gets the measures of the pixels, or only zeros.
enum class Pixels { measured, only_hashed };

/// Reads all images. Throws errors that end a run.
ImageHashes read_images(const Dataset& dataset, const InspectOptions& options, Pixels pixels,
                        ImageTally& tally, const ProgressCallback& callback);

}  // namespace assay::inspect
