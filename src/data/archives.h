// Data sets whose images are in archives: Parquet and Arrow files, tar archives, zip files, files
// of arrays.
#pragma once

#include <filesystem>
#include <memory>

#include "assay/data/dataset.h"

namespace assay {

/// The archive with the images of a data set that was read back from a store; null if they are
/// files. Throws bad_input if the archives no longer exist or have changed. `index_folder`: see
/// DatasetOptions.
std::shared_ptr<const ImageArchive> archive_of(const Dataset& dataset,
                                               const std::filesystem::path& index_folder = {});

/// DatasetOptions::index_folder for data sets whose stores are in `runs`.
inline std::filesystem::path archive_index_folder(const std::filesystem::path& runs) {
    return runs / ".archives";
}

/// True if the images of a data set are in archives. Also works for a data set that was read back
/// from a store.
bool has_archived_images(const Dataset& dataset);

}  // namespace assay
