// Where a folder of questions looks for its images, also after both were moved.
#pragma once

#include <filesystem>
#include <string>

#include "core/database.h"
#include "labelling/folder_settings.h"

namespace assay::labelling {

/// How the setting image_root has `root`: relative to the labelling folder where both are inside
/// of `whole` or of the folder around the labelling folder, which people move as a whole; else
/// absolute. The labelling folder need not be there yet. Throws io.
std::string kept_image_root(const std::filesystem::path& root, const std::filesystem::path& folder,
                            const std::filesystem::path& whole);
/// Absolute, from such a text. Throws io.
std::filesystem::path image_root_of(const std::string& kept, const std::filesystem::path& folder);

/// Writes the setting anew, unless it is so already. Throws bad_input: no such folder of images, a
/// labelling folder that is not there or damaged; busy; io.
void change_image_root(const std::filesystem::path& folder, const std::filesystem::path& root,
                       const std::filesystem::path& whole);

/// A sentence, where not one of the first image files is there; else "".
std::string all_images_missing(const Database& database, const FolderSettings& settings,
                               const std::filesystem::path& folder);

}  // namespace assay::labelling
