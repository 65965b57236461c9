// Data sets given by a list of images or of labels.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/data/dataset.h"

namespace assay {

/// The images that `list` names below `folder`; where it names none, one label for each image of
/// the folder in order (or by the number in the names of ImageNet's validation set).
Dataset open_list(const std::filesystem::path& folder, const std::filesystem::path& list,
                  const DatasetOptions& options, std::vector<std::string>& notes);

/// True when the table can be read and one of its first rows names an image that is below `folder`.
bool names_images(const std::filesystem::path& folder, const std::filesystem::path& list);
/// True when the file gives labels to some of the images: it names them, or has a line for each; or
/// when its columns may, and are not clear. `images` is not empty.
bool labels_images(const std::filesystem::path& list, const Dataset& images);

}  // namespace assay
