// The rows of Parquet files as labelled images.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "assay/data/dataset.h"
#include "data/parquet/images.h"
#include "data/parquet/labels.h"

namespace assay::parquet {

struct RowOptions {
    std::string image_column{};  ///< "": the usual ones (columns.h)
    std::string label_column{};
    ClassList classes{};    ///< of the classifier, or none
    std::size_t limit = 0;  ///< first n rows only; 0: all
};

struct Rows {
    StringColumn ids;  ///< "<file>/<row>"
    Labels::Classes labels;
    std::shared_ptr<const Images> images;  ///< may have more rows than there are ids
};

/// Reads footers, page headers and labels of the files, in this order; no image. The names of the
/// files must differ: a row is called by its file's name and its number, which stay when folders
/// move; paths that the files hold may be missing, or repeat. `notes` gets what was assumed. Throws
/// bad_input, naming the file: what is damaged or not read, no rows, two files of one name, files
/// whose classes differ.
Rows open_rows(std::span<const std::filesystem::path> files, const RowOptions& options,
               std::vector<std::string>& notes);

/// The images of the files alone, for rows that are known already.
std::shared_ptr<const Images> open_images(std::span<const std::filesystem::path> files,
                                          const std::string& image_column);

}  // namespace assay::parquet
