// Parquet files as tables: of labels, or of the paths of images.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "assay/data/class_list.h"
#include "data/table_text.h"

namespace assay::parquet {

/// As csv, the names of the columns first. Throws bad_input, naming the file: damaged, no column
/// with texts or numbers, more than `most_bytes` of text.
TableText read_table(const std::filesystem::path& path, std::uint64_t most_bytes);

/// Whether the rows say where their images are, and do not hold them: the column of images, or one
/// that is called as lists call it where there is none, has texts that end as files of images do.
/// Throws bad_input, naming the file: damaged.
bool lists_paths(const std::filesystem::path& path, const std::string& image_column);

/// The classes that the metadata name for the column of labels; none where they name none.
ClassList named_label_classes(const std::filesystem::path& path, const std::string& label_column);

}  // namespace assay::parquet
