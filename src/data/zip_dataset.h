// Data sets whose images are entries of zip files: class folders that were packed unchanged.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "assay/data/dataset.h"

namespace assay {

/// True if the name ends in ".zip", in any case.
bool has_zip_extension(const std::filesystem::path& path);

/// The zip files of a folder, in the order of their names.
std::vector<std::filesystem::path> zip_files_of(const std::filesystem::path& folder);

/// The images of these files in this order, and within each file in byte order of their names. The
/// files must be in one folder. The first folder that not all images share is the class. Throws
/// bad_input.
Dataset open_zips(const std::vector<std::filesystem::path>& files, const DatasetOptions& options,
                  std::vector<std::string>& notes);

/// Returns the images of the zip files of a data set, in any order.
std::shared_ptr<const ImageArchive> open_zip_images(
    const std::vector<std::filesystem::path>& files);

}  // namespace assay
