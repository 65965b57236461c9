// What the files of a LibTorch tell, and where one may be.
#pragma once

#include <filesystem>
#include <string>

#include "assay/model/libtorch.h"

namespace assay {

/// Fills in what the files below `place.root` tell, `unusable` among it.
void examine(LibTorch& place);

/// Torch_DIR as CMake takes it, or the root itself: its nearest folder above that has a LibTorch's
/// headers, or itself.
std::filesystem::path root_of_torch_dir(const std::filesystem::path& torch_dir);

/// The folders that a compiler includes from.
std::vector<std::filesystem::path> include_folders(const LibTorch& place);

/// Whether the folder is one that the system's loader looks into by itself.
bool is_system_folder(const std::filesystem::path& folder);

}  // namespace assay
