// Data sets in the folders that torchvision creates.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/data/dataset.h"

namespace assay::layouts {

/// Opens the data set in `path` if it has a known layout (layouts()) or its folders are splits
/// (test, val, train) of class folders. A note names the data set, its file and the split. Throws
/// usage for an option or a split that it does not have. Throws bad_input for a damaged or missing
/// file, an image that is missing or listed twice, or several data sets in one folder. Also throws
/// it if there are only training images, which must be requested.
std::optional<Dataset> open_layout(const std::filesystem::path& path, const DatasetOptions& options,
                                   std::vector<std::string>& notes);

/// Throws bad_input if a folder of images without labels is part of a data set of layouts(), whose
/// labels are in a parent folder.
void refuse_images_of_layout(const std::filesystem::path& path);

}  // namespace assay::layouts
