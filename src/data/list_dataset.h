// Data sets given by a list of images or of labels.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/data/dataset.h"
#include "data/table_text.h"

namespace assay {

/// The images that `list` names below `folder`; where it names none, one label for each image of
/// the folder in order (or by the number in the names of ImageNet's validation set).
Dataset open_list(const std::filesystem::path& folder, const TableFile& list,
                  const DatasetOptions& options, std::vector<std::string>& notes);

/// True when the table can be read and one of its first rows names an image that is below `folder`.
/// `ask`: as ColumnChoice has it, which makes a table whose labels are unclear one that cannot.
bool names_images(const std::filesystem::path& folder, const TableFile& list, bool ask = true);
/// True when the table of Hugging Face's `imagefolder` has a column `file_name` and labels
/// (`label_column`: as DatasetOptions has it), or is damaged or unclear, so that open_list() says
/// how.
bool labels_file_names(const TableFile& list, const std::string& label_column);
/// True when the file gives labels to some of the images: it names them, or has a line for each; or
/// when its columns may, and are not clear. `images` is not empty.
bool labels_images(const std::filesystem::path& list, const Dataset& images);

}  // namespace assay
