// Folders named test, val or train that contain class folders.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/data/dataset.h"

namespace assay::layouts {

/// True if two names mean the same split, as "val", "valid" and "validation" do.
bool same_split(std::string_view one, std::string_view other);
/// True if a name is that of a split in some data set.
bool is_split(std::string_view name);

/// The class folders of one split in the folder: options.split, else test, else val. Returns
/// nothing if the folders are no splits. Throws bad_input if that split does not exist, or if only
/// train exists and was not requested.
std::optional<Dataset> open_split_folders(const std::filesystem::path& path,
                                          const DatasetOptions& options,
                                          std::vector<std::string>& notes);

}  // namespace assay::layouts
