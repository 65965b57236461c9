// Stores of builds whose decoder made other pixels of some images.
//
// Version 1 turns photographs in Parquet files of `datasets` by their EXIF data (ImageArchive), as
// that library does. Builds before it recorded no version and scored such photographs as they are
// stored, but for some that turned them already: there the recorded hash is that of now.
#pragma once

#include <cstdint>
#include <filesystem>

#include "assay/data/dataset.h"
#include "assay/store/prediction_store.h"

namespace assay::store {

/// Whether a former decoder may have made other pixels of the image. Of images that cannot be read
/// false.
bool may_have_other_pixels(const StoreSpec& spec, const Dataset& dataset, std::uint64_t row);

/// Throws bad_input where the store has scores of images that have other pixels now: what it lacks
/// would be computed from others. Cost: of a store by a former decoder a look at each of its
/// images, where they are in an archive; else none.
void refuse_former_decoder(const std::filesystem::path& store, const StoreSpec& spec,
                           const Dataset& dataset, int threads);

}  // namespace assay::store
