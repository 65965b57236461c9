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
    std::string image_column{};  ///< "" means the usual ones (columns.h)
    std::string label_column{};
    ClassList classes{};    ///< classes of the classifier, or empty
    std::size_t limit = 0;  ///< read only the first n rows; 0 reads all
};

struct Rows {
    StringColumn ids;  ///< "<file>/<row>"
    Labels::Classes labels;
    std::shared_ptr<const Images> images;  ///< may have more rows than there are ids
};

/// Reads footers, page headers and labels of the files in this order, but no images. The names of
/// the files must differ, because a row's id is its file's name and its number. File names do not
/// change if folders move, and paths in the files may be missing or repeat. `notes` gets the
/// assumptions made. Throws bad_input, naming the file: damaged or unsupported data, no rows, two
/// files with the same name, files with different classes.
Rows open_rows(std::span<const std::filesystem::path> files, const RowOptions& options,
               std::vector<std::string>& notes);

/// Returns only the images of the files, for rows that are known already.
std::shared_ptr<const Images> open_images(std::span<const std::filesystem::path> files,
                                          const std::string& image_column);

}  // namespace assay::parquet
