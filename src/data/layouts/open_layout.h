// Data sets as torchvision leaves them on disk.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/data/dataset.h"

namespace assay::layouts {

/// The data set that `path` holds, if it is in a known layout (layouts()) or its folders are splits
/// (test, val, train) of class folders. One note says which, from which file, and the split. Throws
/// usage: an option or a split that it does not have; bad_input: a damaged or missing file of it,
/// an image that is missing or listed twice, several data sets in one folder, training images that
/// nobody asked for.
std::optional<Dataset> open_layout(const std::filesystem::path& path, const DatasetOptions& options,
                                   std::vector<std::string>& notes);

/// Throws bad_input where a folder of images without labels belongs to a data set of layouts(),
/// which has the labels in a folder above.
void refuse_images_of_layout(const std::filesystem::path& path);

}  // namespace assay::layouts
