// Groups the images of a study by their number of valid labels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/replication/study.h"

namespace assay::replication {

struct LabelStrata {
    Study study;  ///< excludes images that are in no stratum
    /// The stratum of each image of a set, 0 to names.size() - 1.
    std::vector<std::uint32_t> first, second;
    std::vector<std::string> names;
    std::vector<std::string> warnings;  ///< which images were excluded
    std::string undefined;              ///< reason why these strata have no decomposition; else ""
};
/// See joint_decomposition().
LabelStrata label_strata(const Study& study, std::uint32_t pool_above);

}  // namespace assay::replication
