// Stores from builds whose decoder gave other pixels for some images.
//
// Version 1 rotates photographs in Parquet files of `datasets` by their EXIF data (ImageArchive),
// as that library does. Earlier builds recorded no version and scored such photographs as stored.
// Some of them already rotated the images, and then the recorded hash equals the current one.
#pragma once

#include <cstdint>
#include <filesystem>

#include "assay/data/dataset.h"
#include "assay/store/prediction_store.h"

namespace assay::store {

/// Whether a former decoder may have given other pixels for the image. False for unreadable images.
bool may_have_other_pixels(const StoreSpec& spec, const Dataset& dataset, std::uint64_t row);

/// Throws bad_input if the store has scores of images whose pixels differ now, because the missing
/// rows would be computed from other pixels. Cost: for a store from a former decoder, a look at
/// each image if they are in an archive; otherwise none.
void refuse_former_decoder(const std::filesystem::path& store, const StoreSpec& spec,
                           const Dataset& dataset, int threads);

}  // namespace assay::store
