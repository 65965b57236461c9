#pragma once

#include <cstdint>
#include <string>

#include "assay/store/row_reader.h"

namespace assay::derived {

/// The images that are in two stores of one model.
struct SharedImages {
    std::uint64_t images = 0;
    std::uint64_t compared = 0;  ///< images with the same id and with scores in both
    std::string first;           ///< the id of one of them
};

/// Images with the same id and the same scores, but for rounding. Ids are not enough, because many
/// data sets number their items. If all ids of both are row numbers, most of the images must have
/// the same scores: a few are equal by chance where a model is sure. Reads all rows of both, which
/// must have the same classes.
SharedImages shared_images(const RowReader& one, const RowReader& two);

}  // namespace assay::derived
