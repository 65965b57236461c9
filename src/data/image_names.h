// A data set whose images are written anew: how their files are called, and their labels.
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
    bool met = false;  ///< two images would have had one name
};

/// Where each image goes, below the new folder: its id with `extension` (".png"), or as it is where
/// it has one of `fitting` (in lower case); behind the old one where two would meet, as often as it
/// takes. Those whose id has a fitting extension keep it whatever stands before them, so that equal
/// ids are equal images. Two spellings of one path ("./a" and "a") meet, too. Throws bad_input: an
/// id that is not below the data set's folder.
ImageNames image_names(const Dataset& dataset, std::string_view extension,
                       std::span<const std::string_view> fitting);

/// labels.csv of the images that are not left out (1: yes): path, labels, attributes. The labels
/// are written as texts of `classes`, whose order is that of the data set's labels.
std::string image_labels(const Dataset& dataset, const ClassList& classes,
                         const StringColumn& names, const std::vector<std::uint8_t>& left_out);

}  // namespace assay
