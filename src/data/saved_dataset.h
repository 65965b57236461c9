// Folders that Hugging Face's library `datasets` saves with save_to_disk().
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/data/dataset.h"

namespace assay {

/// The images and labels of a folder with one split, or of the split in the options if the folder
/// has several. Returns nothing for other folders. An id is "<file>/<row>". Throws bad_input,
/// naming the file: several splits (with the command to type), damaged, no images, labels that are
/// no classes.
std::optional<Dataset> open_saved_dataset(const std::filesystem::path& folder,
                                          const DatasetOptions& options,
                                          std::vector<std::string>& notes);

/// Returns only the images of the files, for rows that are known already.
std::shared_ptr<const ImageArchive> open_saved_images(
    const std::vector<std::filesystem::path>& files);

/// True if a name is that of such a file.
bool has_arrow_extension(const std::filesystem::path& file);

}  // namespace assay
