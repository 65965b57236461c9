// Parquet files as tables: of labels, or of the paths of images.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "assay/data/class_list.h"
#include "data/table_text.h"

namespace assay::parquet {

/// The table as csv, with a header row. Throws bad_input, naming the file: damaged, no column with
/// texts or numbers, more than `most_bytes` of text.
TableText read_table(const std::filesystem::path& path, std::uint64_t most_bytes);

/// True if the rows give paths of images instead of the images themselves. This is so if the column
/// of images has texts that end like image files. Without such a column, a column with a list's
/// usual name is used. Throws bad_input, naming the file, if it is damaged.
bool lists_paths(const std::filesystem::path& path, const std::string& image_column);

/// The classes that the metadata name for the column of labels; empty if there are none.
ClassList named_label_classes(const std::filesystem::path& path, const std::string& label_column);

}  // namespace assay::parquet
