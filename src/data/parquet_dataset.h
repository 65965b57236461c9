// Data sets whose images are rows of Parquet files.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/data/dataset.h"

namespace assay {

/// The rows of these files, in this order; they must lie in one folder. Throws bad_input.
Dataset open_parquet(std::span<const std::filesystem::path> files, const DatasetOptions& options,
                     std::vector<std::string>& notes);

/// What holds the images of a data set that was read back from a store: null where they are files.
/// Throws bad_input where the files are there no more, or have changed.
std::shared_ptr<const ImageArchive> archive_of(const Dataset& dataset);

/// Whether the images of a data set are rows of Parquet files, one that was read back from a store
/// too.
bool has_parquet_images(const Dataset& dataset);

}  // namespace assay
