// Finds the properties of a LibTorch from its files, and its possible locations.
#pragma once

#include <filesystem>
#include <string>

#include "assay/model/libtorch.h"

namespace assay {

/// Fills in the facts from the files below `place.root`, including `unusable`.
void examine(LibTorch& place);

/// Torch_DIR as CMake accepts it, or the root itself: the nearest parent folder with LibTorch's
/// headers, or the path itself.
std::filesystem::path root_of_torch_dir(const std::filesystem::path& torch_dir);

/// The include folders for a compiler.
std::vector<std::filesystem::path> include_folders(const LibTorch& place);

/// True if the system's loader searches the folder by default.
bool is_system_folder(const std::filesystem::path& folder);

}  // namespace assay
