// Finds the images of a folder of questions, even after both were moved.
#pragma once

#include <filesystem>
#include <string>

#include "core/database.h"
#include "labelling/folder_settings.h"

namespace assay::labelling {

/// The stored form of `root` in the setting image_root. It is relative to the labeling folder if
/// both are inside `whole`, or inside its parent, because people move these folders as a whole.
/// Otherwise it is absolute. The labeling folder need not exist yet. Throws io.
std::string kept_image_root(const std::filesystem::path& root, const std::filesystem::path& folder,
                            const std::filesystem::path& whole);
/// The absolute path for such a stored text. Throws io.
std::filesystem::path image_root_of(const std::string& kept, const std::filesystem::path& folder);

/// Updates the setting if it differs. Throws bad_input for no such folder of images, a missing or
/// damaged labeling folder; busy; io.
void change_image_root(const std::filesystem::path& folder, const std::filesystem::path& root,
                       const std::filesystem::path& whole);

/// A warning if none of the first image files exists; else "".
std::string all_images_missing(const Database& database, const FolderSettings& settings,
                               const std::filesystem::path& folder);

}  // namespace assay::labelling
