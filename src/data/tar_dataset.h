// Data sets whose images are members of tar archives in WebDataset's form.
#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "assay/data/dataset.h"
#include "data/webdataset/tar_files.h"

namespace assay {

/// The samples of these archives, in this order. The archives must be in one folder. Throws
/// bad_input.
Dataset open_tars(const webdataset::TarFiles& tars, const DatasetOptions& options,
                  std::vector<std::string>& notes);

/// The images of a data set's archives, in any order. `index_folder` is as in DatasetOptions.
std::shared_ptr<const ImageArchive> open_tar_images(const std::vector<std::filesystem::path>& files,
                                                    const std::filesystem::path& index_folder);

}  // namespace assay
