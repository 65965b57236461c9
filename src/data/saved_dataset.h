// Folders that the library `datasets` of Hugging Face saves by save_to_disk().
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/data/dataset.h"

namespace assay {

/// The images and labels of a folder of one split, or of the split that the options name in a
/// folder of several; nothing for other folders. An id is "<file>/<row>". Throws bad_input, naming
/// the file: several splits (with what to type), damaged, no images, labels that are no classes.
std::optional<Dataset> open_saved_dataset(const std::filesystem::path& folder,
                                          const DatasetOptions& options,
                                          std::vector<std::string>& notes);

/// The images of the files alone, for rows that are known already.
std::shared_ptr<const ImageArchive> open_saved_images(
    const std::vector<std::filesystem::path>& files);

/// Whether the name is that of such a file.
bool has_arrow_extension(const std::filesystem::path& file);

}  // namespace assay
