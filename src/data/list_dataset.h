// Data sets defined by a list of images or of labels.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "assay/data/dataset.h"
#include "data/table_text.h"

namespace assay {

/// Opens the images below `folder` that `list` names. If it names no image, it has one label per
/// image of the folder, in order. For ImageNet's validation set, the order may be that of the
/// numbers in the images' names.
Dataset open_list(const std::filesystem::path& folder, const TableFile& list,
                  const DatasetOptions& options, std::vector<std::string>& notes);

/// True if the table can be read and one of its first rows names an image below `folder`. With
/// `ask` as in ColumnChoice, a table with unclear labels cannot be read.
bool names_images(const std::filesystem::path& folder, const TableFile& list, bool ask = true);
/// True if the table of Hugging Face's `imagefolder` has a column `file_name` and labels
/// (`label_column` as in DatasetOptions). Also true for a damaged or unclear table, so that
/// open_list() reports the error.
bool labels_file_names(const TableFile& list, const std::string& label_column);
/// True if the file has labels of some images: it names them, or has a line for each. Also true if
/// it is not clear which columns have them. `images` must not be empty.
bool labels_images(const std::filesystem::path& list, const Dataset& images);

}  // namespace assay
