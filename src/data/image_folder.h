// Data sets in folders: one folder per class, or flat without labels.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/data/dataset.h"
#include "data/folder_scan.h"

namespace assay {

/// Returns nothing if no subfolder contains an image.
std::optional<Dataset> open_image_folder(const std::filesystem::path& root,
                                         const DatasetOptions& options,
                                         std::vector<std::string>& notes);
/// Every image below the folder, without labels.
Dataset open_flat(const std::filesystem::path& root, const DatasetOptions& options,
                  std::vector<std::string>& notes);

void note_counts(const ScanCounts& counts, std::vector<std::string>& notes);

}  // namespace assay
