// Handles stores from builds whose decoder gave other pixels for some images.
//
// Version 1 rotates photographs in Parquet files of `datasets` by their EXIF data (ImageArchive),
// as that library does. Earlier builds recorded no version and scored such photographs as stored.
// Some of these builds already rotated the images. Then the recorded hash equals the current hash.
#pragma once

#include <cstdint>
#include <filesystem>

#include "assay/data/dataset.h"
#include "assay/store/prediction_store.h"

namespace assay::store {

/// True if a former decoder may have given other pixels for the image. False for unreadable images.
bool may_have_other_pixels(const StoreSpec& spec, const Dataset& dataset, std::uint64_t row);

/// Throws bad_input if the store has scores of images whose pixels differ now, because the missing
/// rows would be computed from other pixels. Cost: reads each image of a store from a former
/// decoder if the images are in an archive. Otherwise none.
void refuse_former_decoder(const std::filesystem::path& store, const StoreSpec& spec,
                           const Dataset& dataset, int threads);

}  // namespace assay::store
