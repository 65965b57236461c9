// Data sets given by a list of pictures or of labels.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/dataset.h"

namespace assay {

/// The pictures that `list` names below `folder`; where it names none, one label for each picture of the folder in
/// order (or by the number in the names of ImageNet's validation set).
Dataset open_list(const std::filesystem::path& folder, const std::filesystem::path& list, const DatasetOptions& options,
                  std::vector<std::string>& notes);

/// True when the table can be read and one of its first rows names a picture that is below `folder`.
bool names_pictures(const std::filesystem::path& folder, const std::filesystem::path& list);

}  // namespace assay
