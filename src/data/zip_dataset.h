// Data sets whose images are entries of zip files: class folders that were packed as they are.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "assay/data/dataset.h"

namespace assay {

/// ".zip", any case.
bool has_zip_extension(const std::filesystem::path& path);

/// Those of a folder, in the order of their names.
std::vector<std::filesystem::path> zip_files_of(const std::filesystem::path& folder);

/// The images of these files, in this order, and of each in byte order of their names; the files
/// must lie in one folder. The first folder that not all images share is the class. Throws
/// bad_input.
Dataset open_zips(const std::vector<std::filesystem::path>& files, const DatasetOptions& options,
                  std::vector<std::string>& notes);

/// The images of zip files that a data set was made from, in any order.
std::shared_ptr<const ImageArchive> open_zip_images(
    const std::vector<std::filesystem::path>& files);

}  // namespace assay
