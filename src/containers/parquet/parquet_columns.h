// Chooses the columns of images and labels in a file.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "containers/parquet/footer.h"
#include "containers/parquet/huggingface_features.h"

namespace assay::parquet {

struct ImageColumns {
    std::size_t image = 0;               ///< number of the column of bytes
    std::optional<std::size_t> path{};   ///< number of the column of paths next to the bytes
    std::optional<std::size_t> label{};  ///< number of the column of labels
    std::string label_name;              ///< "" without
    /// Declared as Image, or stored as Image is: a structure of bytes and path. `datasets` rotates
    /// such images by their EXIF data.
    bool image_feature = false;
};

/// `image` and `label` are names of columns, or "" for the usual ones. For images these are the
/// only feature of the type Image, or else `image` or `img`. For labels these are `label`, `labels`
/// or `fine_label`, or none. A column of images has bytes, or structures with `bytes`. Labels are
/// numbers, booleans or texts. Throws bad_input and lists the existing columns: no such column, or
/// one of another type or in a list.
ImageColumns choose_columns(const Footer& footer, const HuggingfaceFeatures& features,
                            const std::string& image, const std::string& label);

/// The names of the columns for people: "image.bytes, image.path, label".
std::string column_names(const Footer& footer);

}  // namespace assay::parquet
