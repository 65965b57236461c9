// File names and labels for a data set whose images are written again.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/data/dataset.h"

namespace assay {

struct ImageNames {
    StringColumn names;
    bool met = false;  ///< two images would have got the same name
};

/// The file name of each image below the new folder: its id with `extension` (".png"). An id that
/// ends with one of `fitting` (in lower case) keeps its own extension. If two names would collide,
/// the extension is appended to the old name, repeatedly if needed. Ids with a fitting extension
/// always keep it, so that equal ids are equal images. Two spellings of a path ("./a" and "a") also
/// count as a collision. Throws bad_input for an id outside the data set's folder.
ImageNames image_names(const Dataset& dataset, std::string_view extension,
                       std::span<const std::string_view> fitting);

/// The text of labels.csv (path, labels, attributes) for the images with a 0 in `left_out`.
/// Labels are written as texts of `classes`, whose order is that of the data set's labels.
std::string image_labels(const Dataset& dataset, const ClassList& classes,
                         const StringColumn& names, const std::vector<std::uint8_t>& left_out);

}  // namespace assay
